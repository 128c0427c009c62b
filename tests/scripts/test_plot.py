"""`highwater plot` tells every row, refuses what it cannot trust, and draws the same each time."""

import json
import sys
import unittest
from pathlib import Path
from unittest import mock

from support import FolderTest

try:
    import matplotlib
except ImportError:
    if __name__ != "__main__":
        raise unittest.SkipTest("this Python has no matplotlib") from None
    print("skipped: this Python has no matplotlib")
    sys.exit(77)

import plot
from figures import all_figures, peaks
from figures.figure import Sources
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from records import read_records

HEADER = {"schema": "highwater.records/3", "suite": "smoke", "created": "2026-01-02T03:04:05Z",
          "testbed": {"sim:h200": {"id": "sim-h200", "facts": {"torch": "2.11.0"}}}}


def cell(model: str, technique: str, device: str = "sim:h200", **more: object) -> dict[str, object]:
    return {"cell": f"{model}/full/{technique}/{device}", "model": model, "preset": "full", "technique": technique,
            "device": device, "outcome": "measured", "reason": "", "certainty": "exact", "high": {}, "attributes": {"batch": "8 x 1024"},
            "metrics": {"peak_allocated_bytes": 3 * 2**30, "at_peak_parameters_bytes": 2**30,
                        "at_peak_saved_activations_bytes": 2 * 2**30}, **more}


class Plot(FolderTest):
    def write_records(self, *lines: object) -> Path:
        return self.write("records.jsonl", "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))

    def plot(self, *lines: object, arguments: tuple[str, ...] = ()) -> tuple[int, str]:
        path = self.write_records(*lines)
        with mock.patch("sys.stderr") as stderr, mock.patch("sys.stdout"):
            code = plot.main(["peaks", "--run", str(path), "--baselines", str(self.folder / "none"), *arguments])
        return code, "".join(call.args[0] for call in stderr.write.call_args_list)

    def figure(self, *lines: object, device: str | None = None) -> Figure:
        with matplotlib.rc_context(plot.STYLE):
            return peaks.draw(Sources(records=read_records(self.write_records(*lines)), device=device))

    def texts(self, *lines: object, device: str | None = None) -> str:
        found = self.figure(*lines, device=device).findobj(Text)
        return " ".join(" ".join(text.get_text().split()) for text in found)

    def test_both_files_are_drawn_and_nothing_else_is_left(self) -> None:
        self.assertEqual(self.plot(HEADER, cell("mlp", "baseline"))[0], 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["peaks.png", "peaks.svg", "records.jsonl"])

    def test_the_same_records_give_the_same_svg(self) -> None:
        pictures = []
        for _ in range(2):
            self.plot(HEADER, cell("mlp", "baseline"), cell("mlp", "set_to_none", outcome="skipped", reason="no"))
            pictures.append((self.folder / "peaks.svg").read_bytes())
        self.assertEqual(pictures[0], pictures[1])
        self.assertNotIn(b"dc:date", pictures[0])

    def test_every_row_is_told(self) -> None:
        halved = {"peak_allocated_bytes": 3 * 2**29, "at_peak_parameters_bytes": 3 * 2**29}
        texts = self.texts(HEADER, cell("mlp", "baseline"), cell("mlp", "set_to_none", metrics=halved),
                           cell("mlp", "checkpoint", outcome="out_of_memory", reason="wanted 2 GiB", metrics={}),
                           cell("gpt2", "baseline", outcome="incorrect", reason="loss differs"))
        for word in ("3.00 GiB", "1.50 GiB \N{MINUS SIGN}50.0 %", "out of memory: wanted 2 GiB", "incorrect: loss differs",
                     "not in this run", "batch 8 x 1024", "LibTorch 2.11.0", "sim:h200 (simulated", "Peak: the most bytes"):
            with self.subTest(word):
                self.assertIn(word, texts)

    def test_both_ends_of_a_bounded_row_are_told(self) -> None:
        ends = {"certainty": "bounded", "high": {"peak_allocated_bytes": 7 * 2**29}}
        texts = self.texts(HEADER, cell("mlp", "baseline", **ends))
        self.assertIn("3.00 GiB to 3.50 GiB", texts)
        self.assertIn("to the high end", texts)

    def test_the_finished_rows_of_an_interrupted_run_are_drawn(self) -> None:
        path = self.write_records(HEADER, cell("mlp", "baseline"))
        path.write_text(path.read_text() + '{"cell": "mlp/fu')
        with mock.patch("sys.stderr"):
            self.assertEqual(len(read_records(path).rows), 1)

    def test_other_settings_make_another_panel(self) -> None:
        other = cell("mlp", "baseline") | {"cell": "mlp/full/baseline/sim:h200/batch=16", "attributes": {}}
        texts = self.texts(HEADER, cell("mlp", "baseline"), other)
        self.assertIn("preset full, batch 8 x 1024, fp32", texts)
        self.assertIn("preset full, batch=16, fp32", texts)

    def test_small_peaks_are_shown_in_mib(self) -> None:
        self.assertIn("3.00 MiB", self.texts(HEADER, cell("mlp", "baseline", metrics={"peak_allocated_bytes": 3 * 2**20})))

    def test_the_accelerator_is_drawn_unless_another_device_is_asked_for(self) -> None:
        rows = (HEADER, cell("mlp", "baseline", device="cpu"), cell("mlp", "baseline"))
        records = read_records(self.write_records(*rows))
        self.assertEqual(Sources(records=records).choose_device(), "sim:h200")
        self.assertEqual(Sources(records=records, device="cpu").choose_device(), "cpu")
        code, message = self.plot(*rows, arguments=("--device", "cuda"))
        self.assertEqual(code, 2)
        self.assertIn("it has: cpu, sim:h200", message)

    def test_what_cannot_be_trusted_is_refused_with_file_and_line(self) -> None:
        wrong_sum = {"peak_allocated_bytes": 5, "at_peak_parameters_bytes": 4}
        strange = {"peak_allocated_bytes": 5, "at_peak_magic_bytes": 5}
        bad_inputs: dict[str, tuple[tuple[object, ...], str]] = {
            "newer schema": (({"schema": "highwater.records/10"}, cell("mlp", "baseline")), "upgrade this one"),
            "foreign schema": (({"schema": "other/9"}, cell("mlp", "baseline")), ":1: the schema is 'other/9'"),
            "no JSON": ((HEADER, cell("mlp", "baseline"), '{"cell": "ml'), ":3: not JSON"),
            "twice": ((HEADER, cell("mlp", "baseline"), cell("mlp", "baseline")), ":3: mlp/full/baseline/sim:h200 is there already, in line 2"),
            "no object": ((HEADER, "[1]"), ":2: a record is a JSON object"),
            "missing field": ((HEADER, {"cell": "a"}), ":2: the cell has no model, technique"),
            "wrong sum": ((HEADER, cell("mlp", "baseline", metrics=wrong_sum)), "add up to 4 B, but peak_allocated_bytes is 5 B"),
            "no peak": ((HEADER, cell("mlp", "baseline", metrics={})), "has no peak_allocated_bytes"),
            "no high end": ((HEADER, cell("mlp", "baseline", certainty="bounded")), "is 'bounded', but it has no value at the high end"),
            "no integer": ((HEADER, cell("mlp", "baseline", metrics={"peak_allocated_bytes": 1.5})), "not an integer"),
            "unknown category": ((HEADER, cell("mlp", "baseline", metrics=strange)), "does not know: magic"),
            "no cell": ((HEADER,), ":1: the run holds no cell"),
            "empty": ((), ":1: the schema is None"),
        }
        for name, (lines, words) in bad_inputs.items():
            with self.subTest(name):
                code, message = self.plot(*lines)
                self.assertEqual(code, 2)
                self.assertIn(words, message)
                self.assertFalse((self.folder / "peaks.svg").exists())

    def test_unreadable_records_and_folder(self) -> None:
        with mock.patch("sys.stderr"):
            self.assertEqual(plot.main(["--run", str(self.folder / "absent.jsonl")]), 2)
        self.write("file", "")
        self.assertEqual(self.plot(HEADER, cell("mlp", "baseline"), arguments=("--into", f"{self.folder}/file"))[0], 1)

    def test_without_a_name_all_that_can_be_drawn_is_drawn_and_the_rest_is_explained(self) -> None:
        path = self.write_records(HEADER, cell("mlp", "baseline"), cell("mlp", "sgd"))
        with mock.patch("sys.stderr") as stderr, mock.patch("sys.stdout"):
            self.assertEqual(plot.main(["--run", str(path), "--baselines", str(self.folder / "none")]), 0)
        said = "".join(call.args[0] for call in stderr.write.call_args_list)
        drawn = {path.stem for path in self.folder.glob("*.svg")}
        self.assertEqual(drawn, {"peaks", "heatmap"})
        for name in set(all_figures()) - drawn:
            self.assertIn(f"no {name}: ", said)

    def test_a_run_of_which_nothing_can_be_drawn_is_an_error(self) -> None:
        strange = {"peak_allocated_bytes": 5, "at_peak_magic_bytes": 5}
        path = self.write_records(HEADER, cell("mlp", "baseline", metrics=strange))
        with mock.patch("sys.stderr"), mock.patch("sys.stdout"):
            self.assertEqual(plot.main(["--run", str(path), "--baselines", str(self.folder / "none")]), 2)

    def test_a_name_that_is_no_figure_is_refused_with_the_list(self) -> None:
        with mock.patch("sys.stderr") as stderr, self.assertRaises(SystemExit) as ended:
            plot.main(["peeks"])
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("timeline", "".join(call.args[0] for call in stderr.write.call_args_list))

    def test_runs_of_two_testbeds_stand_in_no_figure_together(self) -> None:
        other = HEADER | {"testbed": {"sim:h200": {"id": "another", "facts": {}}}}
        first = self.write("first.jsonl", json.dumps(HEADER) + "\n" + json.dumps(cell("mlp", "baseline")) + "\n")
        code, message = self.plot(other, cell("mlp", "sgd"), arguments=("--run", str(first)))
        self.assertEqual(code, 2)
        self.assertIn("another testbed", message)

    def test_labels_do_not_overlap(self) -> None:
        long = "gradient_accumulation+activation_checkpointing+autocast_fp16+set_to_none"
        longer = long + "+activation_checkpointing+gradient_accumulation"
        names = ("baseline", long, long + "+sgd", longer, longer + "+sgd", "set_to_none")
        lines = [HEADER] + [cell(model, name) for model in ("a", "b", "c") for name in names]
        with matplotlib.rc_context(plot.STYLE):
            figure = self.figure(*lines)
            FigureCanvasAgg(figure).draw()
        axes = figure.axes[0]
        boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
        for upper, lower in zip(boxes, boxes[1:]):
            self.assertGreaterEqual(upper.y0, lower.y1 - 1)
        self.assertGreaterEqual(min(box.x0 for box in boxes), 0)
        for text in axes.texts:
            self.assertLessEqual(text.get_window_extent().x1, axes.get_window_extent().x1 + 1)


if __name__ == "__main__":
    unittest.main()
