"""A technique is one file: added_technique.cpp stands in the planted plug-in, and nothing else knows of it.

It must be listed, run beside its baseline, gated by its promise, skipped where it clashes, and documented.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["HIGHWATER_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]
NAME = "added_by_a_test"
OK, REGRESSION, SKIPPED = 0, 3, 77


class AddedTechnique(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.results = ["--results", f"{self.folder.name}/runs", "--baselines", f"{self.folder.name}/baselines"]

    def highwater(self, *arguments: str, fault: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run([PROGRAM, *arguments], env=os.environ | {"HIGHWATER_PLANT": fault}, capture_output=True,
                              text=True, timeout=120)

    def run_it(self, technique: str, fault: str = "") -> subprocess.CompletedProcess[str]:
        return self.highwater("run", "--model", "mlp", "--technique", f"baseline,{technique}", "--device", "sim:h200",
                              *self.results, fault=fault)

    def test_it_is_in_no_file_but_its_own(self) -> None:
        folders = ("harness", "models", "techniques", "benchmarks", "docs", "cmake", "scripts")
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
        self.assertGreater(len(paths), 100)
        self.assertEqual([str(path) for path in paths if NAME.encode() in path.read_bytes()], [])

    def test_it_is_listed_with_what_it_declares_and_edits(self) -> None:
        listed = self.highwater("list", "techniques")
        self.assertIn(f"\n{NAME} ", listed.stdout, listed.stderr)
        rows = {row["name"]: row for row in json.loads(self.highwater("list", "techniques", "--format", "json").stdout)}
        self.assertEqual(rows[NAME]["edits"], ["gradient_reset"])
        self.assertEqual(rows[NAME]["when"], "a test wants to see it")

    def test_it_runs_and_saves_what_it_promises(self) -> None:
        result = self.run_it(NAME)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        self.assertIn(NAME, result.stdout)

    def test_the_gate_is_red_when_it_does_nothing(self) -> None:
        result = self.run_it(NAME, fault="idle_addition")
        self.assertEqual(result.returncode, REGRESSION, result.stdout + result.stderr)
        self.assertIn(f"{NAME} promises to save at least", result.stdout)

    def test_it_does_not_combine_with_another_edit_of_its_field(self) -> None:
        result = self.run_it(f"{NAME}+set_to_none")
        self.assertIn(f"{NAME} and set_to_none both change gradient_reset", result.stdout)

    def test_it_is_documented(self) -> None:
        printed = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "techniques_doc.py", PROGRAM, "--print"],
                                 capture_output=True, text=True, check=True).stdout
        entry = printed.split(f"\n## {NAME}\n", 1)[1].split("\n## ", 1)[0]
        self.assertIn("- **Costs**: a line in a document\n", entry)
        self.assertIn("`set_to_none` (both change `gradient_reset`)", entry)


if __name__ == "__main__":
    unittest.main()
