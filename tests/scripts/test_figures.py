"""Each figure shows what its records say: artists, labels, values, the reasons of what is missing, and the same bytes twice."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

from support import REPOSITORY

try:
    import matplotlib
except ImportError:
    if __name__ != "__main__":
        raise unittest.SkipTest("this Python has no matplotlib") from None
    print("skipped: this Python has no matplotlib")
    sys.exit(77)

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.text import Text

import gallery
from baseline_history import Move, moves_of, read_history, write_history
from figures import all_figures, batch, budget, gate, heatmap, history, timeline, tradeoff
from figures.figure import Sources
from figures.style import CATEGORIES, STYLE, save, size_text
from records import PEAK, Records, RecordsError, Row, read_records
from slim_svg import slim
from step_events import replay

GIB = 2**30
PUBLISHED = REPOSITORY / "results" / "published"
HEADER = {"schema": "highwater.records/3", "suite": "smoke",
          "testbed": {"sim:h200": {"id": "sim-h200", "facts": {"torch": "2.11.0", "device_name": "NVIDIA H200", "total_memory_bytes": str(8 * GIB)}},
                      "cpu": {"id": "cpu-avx2", "facts": {"torch": "2.11.0"}}}}


def row(technique: str, peak: float, device: str = "sim:h200", model: str = "mlp", settings: str = "", **more: object) -> Row:
    metrics = {PEAK: int(peak * GIB), "peak_requested_bytes": int(peak * GIB)}
    time = more.pop("time", None)
    if time:
        metrics |= {"step_time_nanoseconds": int(float(str(time)) * 1e6), "step_time_mad_nanoseconds": 1000}
    values: dict[str, object] = {"outcome": "measured", "reason": "", "certainty": "exact", "metrics": metrics, "high": {},
                                 "attributes": {"batch": "8 x 64", "precision": "fp32"}, **more}
    return Row(f"{model}/full/{technique}/{device}{settings}", model, "full", technique, device, **values)  # type: ignore[arg-type]


def sources(*rows: Row, **more: object) -> Sources:
    return Sources(records=Records(dict(HEADER), list(rows)), **more)  # type: ignore[arg-type]


def texts(figure: Figure) -> str:
    return " ".join(" ".join(text.get_text().split()) for text in figure.findobj(Text))


class FiguresTest(unittest.TestCase):
    def setUp(self) -> None:
        context = matplotlib.rc_context(STYLE)
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)


class Every(FiguresTest):
    """Of the figures that the gallery draws from the committed records."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.moves = read_history(PUBLISHED / "history.jsonl")
        cls.drawn: dict[str, Figure] = {}
        with matplotlib.rc_context(STYLE):
            for picture in gallery.PICTURES:
                cls.drawn[picture.file] = all_figures()[picture.figure].draw(gallery.sources_of(picture, cls.moves))

    def test_the_gallery_shows_each_figure(self) -> None:
        self.assertEqual(len(all_figures()), 8)
        self.assertEqual({picture.figure for picture in gallery.PICTURES if picture.listed}, set(all_figures()))

    def test_device_libtorch_precision_batch_and_what_peak_means_stand_on_each(self) -> None:
        for name, figure in self.drawn.items():
            found = texts(figure)
            for word in ("Device: ", "LibTorch 2.11.0", "batch", "fp32", "Peak: "):
                with self.subTest(figure=name, word=word):
                    self.assertIn(word, found)

    def test_a_simulated_device_is_called_that(self) -> None:
        for name, figure in self.drawn.items():
            if "sim:" in texts(figure):
                self.assertIn("simulated: no real card ran", texts(figure), name)

    def test_no_text_leaves_the_picture(self) -> None:
        for name, figure in self.drawn.items():
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            # Ticks beyond an axis's ends exist and are not drawn.
            ticks = {id(label) for axes in figure.axes for label in (*axes.get_xticklabels(), *axes.get_yticklabels())
                     if not re.search("[a-z]", label.get_text())}
            for text in figure.findobj(lambda artist: isinstance(artist, Text) and id(artist) not in ticks):
                box = text.get_window_extent(canvas.get_renderer())
                if text.get_text() and text.get_visible() and box.width:
                    with self.subTest(figure=name, text=text.get_text()[:40]):
                        self.assertGreaterEqual(box.x0, -1)
                        self.assertLessEqual(box.x1, figure.bbox.width + 1)

    def test_bars_begin_at_zero(self) -> None:
        for name in ("peaks", "gate"):
            for axes in self.drawn[name].axes:
                low, high = axes.get_xlim()
                with self.subTest(name):
                    self.assertLessEqual(low, 0)
                    self.assertGreaterEqual(high, 0)

    def test_two_draws_give_the_same_bytes_without_a_date(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for picture in gallery.PICTURES:
                again = all_figures()[picture.figure].draw(gallery.sources_of(picture, self.moves))
                for number, figure in enumerate((again, self.drawn[picture.file])):
                    save(figure, Path(folder), f"{picture.file}{number}", ("svg", "png") if picture.file == "batch" else ("svg",))
                first = (Path(folder) / f"{picture.file}0.svg").read_bytes()
                with self.subTest(picture.file):
                    self.assertEqual(first, (Path(folder) / f"{picture.file}1.svg").read_bytes())
                    self.assertNotIn(b"dc:date", first)
            self.assertEqual((Path(folder) / "batch0.png").read_bytes(), (Path(folder) / "batch1.png").read_bytes())

    def test_the_timeline_peaks_where_the_record_says(self) -> None:
        rows = {found.cell: found for found in read_records(PUBLISHED / "full.jsonl").rows}
        for technique in ("baseline", "activation_checkpointing"):
            wanted = rows[f"gpt2-small/full/{technique}/sim:h200"].metrics["peak_requested_bytes"]
            self.assertIn(f"peak {size_text(wanted)}", texts(self.drawn["timeline"]))


class Categories(unittest.TestCase):
    def test_their_order_and_colours_are_fixed(self) -> None:
        self.assertEqual([colour for _, colour, _ in CATEGORIES.values()],
                         ["#0072B2", "#E69F00", "#009E73", "#000000", "#F0E442", "#D55E00", "#56B4E9", "#CC79A7", "#999999"])
        looks = {(colour, hatch) for _, colour, hatch in CATEGORIES.values()}
        self.assertEqual(len(looks), len(CATEGORIES))


class Tradeoff(FiguresTest):
    ROWS = (row("baseline", 4, "cpu", time=10), row("slow", 2, "cpu", time=30), row("beaten", 5, "cpu", time=20), row("small", 3, "cpu", time=20))

    def test_the_front_holds_what_nothing_beats_in_both(self) -> None:
        self.assertEqual([found.technique for found in tradeoff.pareto(list(self.ROWS))], ["baseline", "small", "slow"])

    def test_one_of_two_equal_ones_is_enough(self) -> None:
        self.assertEqual(len(tradeoff.pareto([row("a", 1, time=5), row("b", 1, time=5)])), 1)

    def test_points_stand_at_time_and_peak(self) -> None:
        axes = tradeoff.draw(sources(*self.ROWS)).axes[0]
        points = {(round(float(x), 6), round(float(y), 6)) for line in axes.lines if line.get_marker() not in ("", "None", None)
                  for x, y in zip(line.get_xdata(), line.get_ydata())}  # type: ignore[arg-type,call-overload]
        self.assertEqual(points, {(10, 4), (30, 2), (20, 5), (20, 3)})

    def test_a_run_without_times_is_refused(self) -> None:
        with self.assertRaisesRegex(RecordsError, "no step times"):
            tradeoff.draw(sources(row("baseline", 4)))

    def test_the_budget_curve_is_that_front_in_shares_of_baseline(self) -> None:
        self.assertEqual(budget.steps_of(list(self.ROWS), self.ROWS[0]), [(1, 1, "baseline"), (0.75, 2, "small"), (0.5, 3, "slow")])
        self.assertIn("memory budget", texts(budget.draw(sources(*self.ROWS))))


class Heatmap(FiguresTest):
    def test_fields_show_signed_percent_and_reasons(self) -> None:
        found = texts(heatmap.draw(sources(
            row("baseline", 4), row("halved", 2), row("more", 5), row("none", 0, outcome="skipped", reason="mlp has no attention to take hold of"),
            row("much", 0, outcome="out_of_memory", reason="wanted 2 GiB"), row("nan", 1, attributes={"diverges": "true"}))))
        for word in ("\N{MINUS SIGN}50", "+25", "a out of memory: wanted 2 GiB", "b diverges", "c skipped: has no attention to take hold of"):
            with self.subTest(word):
                self.assertIn(word, found)

    def test_what_has_no_number_is_hatched(self) -> None:
        figure = heatmap.draw(sources(row("baseline", 4), row("none", 0, outcome="skipped", reason="no")))
        patches = [patch for patch in figure.axes[0].patches if isinstance(patch, PathPatch)]
        self.assertEqual([patch.get_hatch() for patch in patches], ["////"])

    def test_colours_turn_at_their_edges(self) -> None:
        self.assertEqual(heatmap.colour_of(0), "#FFFFFF")
        self.assertEqual(heatmap.colour_of(-80), heatmap.COLOURS[0])
        self.assertEqual(heatmap.colour_of(100), heatmap.COLOURS[-1])


class Batch(FiguresTest):
    def test_the_limit_is_that_of_the_device_and_what_did_not_fit_is_a_cross_there(self) -> None:
        figure = batch.draw(sources(row("baseline", 2, settings="/batch=4"), row("baseline", 4, settings="/batch=8"),
                                    row("baseline", 0, settings="/batch=16", outcome="out_of_memory", reason="no room")))
        self.assertIn("memory of the device: 8.00 GiB", texts(figure))
        crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
        self.assertEqual([(list(line.get_xdata()), list(line.get_ydata())) for line in crosses], [([16], [8.0])])  # type: ignore[arg-type]

    def test_one_batch_alone_is_refused(self) -> None:
        with self.assertRaisesRegex(RecordsError, "one batch only"):
            batch.draw(sources(row("baseline", 2, settings="/batch=4")))


class Gate(FiguresTest):
    def test_differences_are_sorted_worst_first_and_the_rest_is_counted(self) -> None:
        run = sources(row("baseline", 4), row("grew", 3), row("shrank", 1), row("new", 1),
                      baselines={"sim-h200": {"mlp/full/baseline/sim:h200": 4 * GIB, "mlp/full/grew/sim:h200": 2 * GIB,
                                              "mlp/full/shrank/sim:h200": 2 * GIB}})
        moved, still, new = gate.differences(run, "sim:h200")
        self.assertEqual([(one.row.technique, one.bytes) for one in moved], [("grew", GIB), ("shrank", -GIB)])
        self.assertEqual((still, new), (1, 1))
        self.assertEqual([patch.get_width() for patch in gate.draw(run).axes[0].patches], [1, -1])  # type: ignore[attr-defined]

    def test_where_nothing_moved_that_is_said(self) -> None:
        run = sources(row("baseline", 4), baselines={"sim-h200": {"mlp/full/baseline/sim:h200": 4 * GIB}})
        self.assertIn("all 1 cells take exactly what their baselines say", texts(gate.draw(run)))

    def test_another_testbed_is_not_compared(self) -> None:
        with self.assertRaisesRegex(RecordsError, "testbed sim-h200"):
            gate.draw(sources(row("baseline", 4), baselines={"sim-a100": {"mlp/full/baseline/sim:h200": 1}}))


def event(action: str, size: int, address: int, step: int, phase: str) -> dict[str, str]:
    return {"action": action, "size": str(size), "addr": str(address), "step": str(step), "phase": phase}


class Timeline(FiguresTest):
    EVENTS = [event("alloc", 10, 1, 0, ""), event("alloc", 5, 2, 1, "optimizer"), event("segment_alloc", 99, 9, 2, "forward"),
              event("alloc", 7, 3, 2, "forward"), event("alloc", 3, 4, 2, "backward"), event("free_requested", 7, 3, 2, "backward"),
              event("alloc", 1, 5, 2, "backward"), event("free_completed", 7, 3, 2, "backward")]

    def test_a_step_starts_with_what_was_alive_and_counts_by_birth(self) -> None:
        step = replay(self.EVENTS)
        self.assertEqual(step.totals(), [15, 22, 25, 18, 19])
        self.assertEqual(step.peak(), (2, 25))
        self.assertEqual([max(alive) for alive in step.alive], [10, 5, 0, 0, 7, 4, 0, 0])
        self.assertEqual(step.phases, [("forward", 0, 1), ("backward", 1, 4)])

    def test_thinning_keeps_the_peak(self) -> None:
        step = replay([event("alloc" if index % 2 == 0 else "free_requested", 1 + (index // 2 == 777) * 50, 1, 1, "forward")
                       for index in range(4000)])
        kept = timeline.thinned(step)
        self.assertLess(len(kept), 4 * timeline.COLUMNS)
        self.assertIn(step.peak()[0], kept)

    def test_a_capture_of_another_version_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            events = "\n".join("\t".join(values) for values in [list(self.EVENTS[0]), *(list(one.values()) for one in self.EVENTS)])
            (Path(folder) / "a.tsv").write_text(events + "\n")
            (Path(folder) / "capture.json").write_text(json.dumps({"cells": {"mlp/full/baseline/sim:h200": {"events": "a.tsv"}}}))
            right = row("baseline", 25 / GIB)
            self.assertIn("peak 25 B", texts(timeline.draw(sources(right, capture=Path(folder)))))
            with self.assertRaisesRegex(RecordsError, "not of one version"):
                timeline.draw(sources(row("baseline", 26 / GIB), capture=Path(folder)))

    def test_without_a_capture_it_says_how_to_make_one(self) -> None:
        with self.assertRaisesRegex(RecordsError, "highwater capture"):
            timeline.draw(sources(row("baseline", 1)))


LOG = """commit aaaaaaa 2026-01-01
diff --git a/bed/smoke.jsonl b/bed/smoke.jsonl
+{"cell":"mlp/full/baseline/sim:h200","metric":"peak_allocated_bytes","value":100,"reason":"first"}
+{"cell":"mlp/full/baseline/sim:h200","metric":"leak_bytes","value":0,"reason":"first"}
commit bbbbbbb 2026-01-02
diff --git a/bed/smoke.jsonl b/bed/smoke.jsonl
-{"cell":"mlp/full/baseline/sim:h200","metric":"peak_allocated_bytes","value":100,"reason":"first"}
+{"cell":"mlp/full/baseline/sim:h200","metric":"peak_allocated_bytes","value":100,"anchor":100,"reason":"first"}
-{"cell":"mlp/full/sgd/sim:h200","met
commit ccccccc 2026-01-03
diff --git a/bed/smoke.jsonl b/bed/smoke.jsonl
-{"cell":"mlp/full/baseline/sim:h200","metric":"peak_allocated_bytes","value":100,"reason":"first"}
+{"cell":"mlp/full/baseline/sim:h200","metric":"peak_allocated_bytes","value":130,"reason":"a wider layer"}
"""


class History(FiguresTest):
    MOVES = (Move("aaaaaaa", "2026-01-01", "smoke", "bed", "mlp/full/baseline/sim:h200", None, 100, "first"),
             Move("ccccccc", "2026-01-03", "smoke", "bed", "mlp/full/baseline/sim:h200", 100, 130, "a wider layer"))

    def test_a_row_that_was_only_rewritten_did_not_move(self) -> None:
        self.assertEqual(tuple(moves_of(LOG, "smoke")), self.MOVES)

    def test_a_kept_history_is_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_history(self.MOVES, Path(folder) / "history.jsonl")
            self.assertEqual(read_history(Path(folder) / "history.jsonl"), self.MOVES)

    def test_levels_and_reasons_are_shown(self) -> None:
        self.assertEqual(history.levels_of(list(self.MOVES), ["aaaaaaa", "ccccccc"]), [0, 30])
        found = texts(history.draw(sources(row("baseline", 1), moves=self.MOVES)))
        self.assertIn("2 2026-01-03 ccccccc, 1 moved: a wider layer", found)

    def test_no_history_is_an_error(self) -> None:
        with self.assertRaisesRegex(RecordsError, "ever accepted"):
            history.draw(sources(row("baseline", 1)))


class Slim(unittest.TestCase):
    def test_numbers_are_shortened_and_styles_shared(self) -> None:
        text = ('<style>*{}</style><!-- a --><path d="M 1.23456 -0.0001\nL 20 3.1"/><g id="text_1">\n <!-- 5 -->\n'
                ' <text style="font: 9px" x="1.23456" transform="rotate(-0 1 2)">1.23456</text>\n</g>')
        self.assertEqual(slim(text), '<style>*{}.t0{font: 9px}</style><path d="M 1.23 0\nL 20 3.1"/>'
                                     '<text class="t0" x="1.23">1.23456</text>')


if __name__ == "__main__":
    unittest.main()
