"""Pages of runs that were made up: very many cells, hostile names, two runs of which one grew."""

from __future__ import annotations

import json
import time
import unittest
from typing import Any

from page_case import PEAK, Json, PageCase, change_text

PHASES = ("zero_grad", "forward", "backward", "optimizer")
OPENS_WITHIN = 2.0     # seconds, of a run with two thousand cells
ANSWERS_WITHIN = 0.3   # seconds, from a keystroke to the table that it leaves
HOSTILE = "</script><script>window.hostile=1</script><img src=x onerror=window.hostile=1>&amp;\"'`$(window.hostile=1)\u202e漢"


def header(**fields: Any) -> Json:
    return {"schema": "highwater.records/3", "suite": "made-up", "created": "2026-01-31T12:00:00Z",
            "testbed": {"sim:h200": {"id": "bed", "facts": {"torch": "2.11.0"}}}, "versions": {"highwater": "0.1.0"}, "settings": {}, **fields}


def cell(model: str, technique: str, modules: dict[str, int], **fields: Any) -> Json:
    """A cell whose peak is the sum of its modules, each one saved activation."""
    peak = sum(modules.values())
    metrics = {PEAK: peak, "peak_reserved_bytes": peak, "leak_bytes": 0, "at_peak_saved_activations_bytes": peak,
               **{f"{phase}_peak_allocated_bytes": peak // 2 for phase in PHASES}}
    return {"cell": f"{model}/full/{technique}/sim:h200", "model": model, "preset": "full", "technique": technique, "device": "sim:h200",
            "outcome": "measured", "reason": "", "certainty": "exact", "metrics": metrics, "high": {},
            "attributes": {"peak_phase": "backward", "steady": "true"}, "numerics": None, "prediction": {}, "promises": [],
            "profile": {"saved_activations": {"forward": [[path, "aten::linear > aten::addmm", 1, size] for path, size in modules.items()]}}, **fields}


class ManyCells(PageCase):
    def test_two_thousand_cells_open_at_once_and_answer_every_keystroke(self) -> None:
        techniques = ["baseline", *(f"technique_{number}" for number in range(49))]
        cells = [cell(f"model-{i}", technique, {f"block.{n}.part{p}": (1 << 20) + 7 * i + 13 * j + n * p for n in range(12) for p in range(8)})
                 for i in range(40) for j, technique in enumerate(techniques)]
        page = self.make_page(self.write_run("many", [header(), *cells]))
        self.assertEqual(len(cells), 2000)
        self.assertLess(min(self.seconds_to_open(page) for _ in range(3)), OPENS_WITHIN)
        self.assertEqual(len(self.rows()), 2000)
        self.assertLess(min(self.seconds_to_filter(text) for text in ("model-1", "technique_4", "")), ANSWERS_WITHIN)
        self.assertLess(min(self.seconds_to_sort() for _ in range(3)), ANSWERS_WITHIN)

    def seconds_to_open(self, page: Any) -> float:
        """Until the first rows are there and painted."""
        self.browser.call("Page.navigate", url="about:blank")
        start = time.monotonic()
        self.browser.open(page, ready="!!document.querySelector('.cells tbody tr')")
        self.browser.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return time.monotonic() - start

    def seconds_until_laid_out(self, act: str) -> float:
        milliseconds: float = self.browser.evaluate(f"""(() => {{ const start = performance.now(); {act};
            document.querySelector(".cells").getBoundingClientRect(); return performance.now() - start; }})()""")
        return milliseconds / 1000

    def seconds_to_filter(self, text: str) -> float:
        return self.seconds_until_laid_out(
            f"const box = document.getElementById('search'); box.value = {json.dumps(text)}; box.dispatchEvent(new Event('input'))")

    def seconds_to_sort(self) -> float:
        return self.seconds_until_laid_out("document.querySelector('th[data-column=peak] button').click()")


class HostileNames(PageCase):
    def test_names_are_text_wherever_they_stand(self) -> None:
        technique = HOSTILE.replace("/", "\u2215")
        rows = [cell("m", "baseline", {"head": 8 << 20}),
                cell("m", technique, {HOSTILE: 4 << 20}, attributes={"peak_phase": HOSTILE, "batch": HOSTILE, "steady": "true"}),
                cell("m", "gone", {"x": 1}, outcome="failed", reason=HOSTILE, metrics={}, profile={}, attributes={}, certainty=None)]
        testbed = {"sim:h200": {"id": "bed", "facts": {"device_name": HOSTILE, "torch": HOSTILE}}}
        page = self.make_page(self.write_run("hostile", [header(created=HOSTILE, testbed=testbed, versions={"highwater": HOSTILE}), *rows]))
        for view in ("", f"#/cell/{self.key(rows[1])}", f"#/cell/{self.key(rows[2])}", f"#/compare/{self.key(rows[0])}/{self.key(rows[1])}", "#/cell/%"):
            self.browser.open(page, view)
            self.assertIsNone(self.browser.evaluate("window.hostile ?? null"), view)
            self.assertEqual(self.texts("img, iframe, object, body script:not(#facts):not(:last-of-type)"), [], view)
        self.browser.open(page)
        self.assertIn(technique, self.texts(".cells [data-column=technique] a"))
        self.browser.open(page, f"#/cell/{self.key(rows[1])}")
        self.assertIn(HOSTILE, self.texts(".panel th .name"))

    def key(self, row: Json) -> str:
        return str(self.browser.evaluate(f"encodeURIComponent({json.dumps('0/' + row['cell'])})"))


class TwoRuns(PageCase):
    def test_what_moved_comes_first_and_says_which_module_grew(self) -> None:
        before = [cell("m", "baseline", {"block.0": 5 << 20, "block.1": 5 << 20}), cell("m", "save", {"block.0": 3 << 20}), cell("m", "same", {"head": 1 << 20})]
        after = [before[0], cell("m", "save", {"block.0": 3 << 20, "block.1": 2 << 20}), before[2]]
        old = self.write_run("old", [header(), *before])
        page = self.make_page(self.write_run("new", [header(), *after]), "--against", str(old))
        self.browser.open(page)
        self.assertEqual(self.table("Cells whose peak moved")[0][1:], ["3.0 MiB", "5.0 MiB", change_text(2 << 20), "regressed"])
        self.assertEqual([row["since"] for row in self.rows()], ["+2.0 MiB", "0 B", "0 B"])
        self.browser.evaluate("document.querySelector('.panel tbody a').click()")
        self.browser.wait_for("document.querySelector('h1').textContent === 'Compare two cells'")
        self.assertIn(f"this run needs 5.0 MiB, other run 3.0 MiB: {change_text(2 << 20)}", self.text(".answer"))
        grown = self.table("Blocks that differ")
        self.assertEqual(len(grown), 1)
        self.assertEqual((grown[0][1], grown[0][2], grown[0][4]), (change_text(2 << 20), "+1", "linear (addmm)"))
        self.assertTrue(grown[0][0].startswith("block.1"))


if __name__ == "__main__":
    unittest.main()
