"""Planted regressions: the real program, the simulated H200, the real gate.

Each test measures two real models clean, accepts that as the baseline, measures again with one fault switched on (see
planted_model.cpp) and looks for the right cell and verdict.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["HIGHWATER_PROGRAM"]
MLP = "planted-mlp/full/baseline/sim:h200"
MLP_CHECKPOINTED = "planted-mlp/full/planted_checkpointing/sim:h200"
GPT2 = "planted-gpt2-small/full/baseline/sim:h200"
GPT2_CHECKPOINTED = "planted-gpt2-small/full/planted_checkpointing/sim:h200"
ALL = {MLP, MLP_CHECKPOINTED, GPT2, GPT2_CHECKPOINTED}

OK, REGRESSION, MISSING = 0, 3, 5


class PlantedRegression(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.baselines = self.root / "baselines"
        self.measure()
        accepted = self.highwater("baseline", "accept", self.latest(), "--reason", "clean", *self.keys())
        self.assertEqual(accepted.returncode, OK, accepted.stderr)

    def highwater(self, *arguments: str, fault: str = "") -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"HIGHWATER_PLANT": fault}
        return subprocess.run([PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=120)

    def keys(self) -> list[str]:
        return ["--baselines", str(self.baselines)]

    def latest(self) -> str:
        return str(self.root / "runs" / "latest")

    def measure(self, fault: str = "") -> None:
        measured = self.highwater(
            "run", "--model", "planted-mlp,planted-gpt2-small", "--technique", "baseline,planted_checkpointing",
            "--device", "sim:h200", "--results", str(self.root / "runs"), "--record-only", *self.keys(), fault=fault)
        self.assertEqual(measured.returncode, OK, measured.stderr)

    def gate(self) -> tuple[int, dict[str, str], str]:
        """Exit code, verdict by cell, everything printed."""
        result = self.highwater("gate", self.latest(), *self.keys())
        verdicts = {}
        for line in result.stdout.splitlines():
            verdict, cell = line.split()[:2]
            if cell.rstrip(":") in ALL:
                verdicts[cell.rstrip(":")] = verdict
        return result.returncode, verdicts, result.stdout + result.stderr

    def assert_red(self, red: set[str]) -> str:
        code, verdicts, text = self.gate()
        self.assertEqual(code, REGRESSION, text)
        self.assertEqual({cell for cell, verdict in verdicts.items() if verdict == "regressed"}, red, text)
        self.assertEqual({cell for cell, verdict in verdicts.items() if verdict == "unchanged"}, ALL - red, text)
        return text

    def test_an_untouched_rerun_is_green(self) -> None:
        self.measure()
        code, verdicts, text = self.gate()
        self.assertEqual(code, OK, text)
        self.assertEqual(verdicts, dict.fromkeys(ALL, "unchanged"))

    def test_one_extra_tensor_of_4_mib_is_red_in_every_cell(self) -> None:
        self.measure(fault="extra_tensor")
        text = self.assert_red(ALL)
        # Requested bytes grow by exactly 4 MiB everywhere; allocated ones also by how large blocks are split.
        self.assertIn(f"{MLP}: peak_allocated_bytes 146.2 MiB -> 150.2 MiB (+4,194,304 B", text)

    def test_a_retained_graph_is_a_leak_in_every_cell(self) -> None:
        self.measure(fault="retained_graph")
        self.assertIn("leak_bytes", self.assert_red(ALL))

    def test_checkpointing_that_saves_nothing_is_red_in_its_own_cells_only(self) -> None:
        self.measure(fault="idle_checkpoint")
        text = self.assert_red({MLP_CHECKPOINTED, GPT2_CHECKPOINTED})
        self.assertIn("promise", text)

    def test_a_missing_row_is_named(self) -> None:
        self.measure()
        records = self.root / "runs" / "latest" / "records.jsonl"
        kept = [line for line in records.read_text().splitlines() if json.loads(line).get("cell") != GPT2]
        records.write_text("\n".join(kept) + "\n")
        code, verdicts, text = self.gate()
        self.assertEqual(code, MISSING, text)
        self.assertEqual(verdicts[GPT2], "missing", text)


if __name__ == "__main__":
    unittest.main()
