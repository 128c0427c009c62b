"""One browser for all tests of a program, pages made by the program, and what tests ask of a page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from browser import Browser, find_browser

Json = dict[str, Any]
REPOSITORY = Path(__file__).resolve().parents[2]
PUBLISHED = REPOSITORY / "results/published/full.jsonl"
BASELINES = REPOSITORY / "results/baselines"
PEAK = "peak_allocated_bytes"
UNITS = (("B", 0, 0), ("KiB", 10, 1), ("MiB", 20, 1), ("GiB", 30, 2), ("TiB", 40, 2))

PROGRAM = find_browser()
if PROGRAM is None:
    print("skipped: there is no Chromium here; install the package chromium, or name one by HIGHWATER_BROWSER")
    sys.exit(77)


def read_lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bytes_text(size: int) -> str:
    """As the page prints it, halves away from zero as the program rounds them; the minus is a real one."""
    values = [(str((Decimal(abs(size)) / 2**shift).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP)), unit)
              for unit, shift, decimals in UNITS]
    value, unit = next(((value, unit) for value, unit in values if float(value) < 1024), values[-1])
    return f"{'−' if size < 0 else ''}{value} {unit}"


def change_text(size: int) -> str:
    return ("+" if size > 0 else "") + bytes_text(size)


def percent_text(ratio: float) -> str:
    text = f"{100 * ratio:.1f}"
    return f"{'+' if ratio > 0 else ''}{text.replace('-', '−')} %"


def baseline_of(row: Json) -> str:
    parts = row["cell"].split("/")
    return "/".join([*parts[:2], "baseline", *parts[3:]])


class PageCase(unittest.TestCase):
    """Any problem that the browser notes in a test fails it, and so does a request for anything but the page."""

    browser: Browser
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        assert PROGRAM is not None
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.browser = cls.enterClassContext(Browser(PROGRAM))

    def setUp(self) -> None:
        self.browser.size(1280, 900)
        self.browser.colours("light")
        self.browser.problems.clear()
        self.browser.requests.clear()

    def tearDown(self) -> None:
        self.assertEqual(self.browser.problems, [])
        asked = {url for url in self.browser.requests if url != "about:blank" and not url.startswith("data:")}
        self.assertTrue(all(url.startswith(self.folder.as_uri()) for url in asked), asked)

    @classmethod
    def write_run(cls, name: str, lines: list[Json]) -> Path:
        path = cls.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    @classmethod
    def make_page(cls, records: Path, *arguments: str, baselines: Path = BASELINES) -> Path:
        page = cls.folder / f"{records.stem}.html"
        program = Path(os.environ["HIGHWATER_PROGRAM"]).resolve()
        subprocess.run([program, "report", records, "--html", page, "--baselines", baselines, *arguments], check=True, timeout=120)
        return page

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.browser.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")
        return found

    def text(self, selector: str) -> str:
        found = self.texts(selector)
        self.assertTrue(found, f"nothing is {selector}")
        return found[0]

    def click(self, selector: str) -> None:
        self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def type_into(self, selector: str, text: str) -> None:
        self.browser.evaluate(f"""(() => {{ const box = document.querySelector({json.dumps(selector)}); box.value = {json.dumps(text)};
            box.dispatchEvent(new Event("input", {{bubbles: true}})); box.dispatchEvent(new Event("change", {{bubbles: true}})); }})()""")

    def rows(self) -> list[Json]:
        """The table of results as it stands, once all of it is there."""
        self.browser.wait_for("document.querySelector('.cells tbody').dataset.complete")
        found: list[Json] = self.browser.evaluate("""[...document.querySelectorAll(".cells tbody tr")].map((row) => ({cell: row.dataset.cell,
            ...Object.fromEntries([...row.children].map((place) => [place.dataset.column, place.textContent])),
            bytes: row.querySelector("[data-column=peak] span")?.title ?? ""}))""")
        return found

    def cells(self) -> list[str]:
        return [row["cell"] for row in self.rows()]

    def table(self, caption: str) -> list[list[str]]:
        """The rows of the table whose caption begins so, as texts."""
        found: list[list[str]] = self.browser.evaluate(f"""[...[...document.querySelectorAll("caption")]
            .find((each) => each.textContent.startsWith({json.dumps(caption)})).parentElement.tBodies[0].rows]
            .map((row) => [...row.cells].map((place) => place.textContent))""")
        return found
