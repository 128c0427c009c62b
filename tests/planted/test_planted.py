"""Planted regressions: the real program, the simulated H200, the real gate.

Each test measures two real models clean, accepts that as the baseline, measures again with one fault switched on (see
planted_model.cpp) and looks for the right cell and verdict.
"""

from __future__ import annotations

import itertools
import json
import os
import re
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


class Planted(unittest.TestCase):
    """A clean run of some cells, accepted; what follows is held against it."""

    CELLS: list[str]
    DEVICES = "sim:h200"

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
        measured = self.highwater("run", *self.CELLS, "--device", self.DEVICES, "--results", str(self.root / "runs"),
                                  "--record-only", *self.keys(), fault=fault)
        self.assertEqual(measured.returncode, OK, measured.stderr)

    def gate(self) -> subprocess.CompletedProcess[str]:
        return self.highwater("gate", self.latest(), *self.keys())


class PlantedRegression(Planted):
    CELLS = ["--model", "planted-mlp,planted-gpt2-small", "--technique", "baseline,planted_checkpointing"]

    def judged(self) -> tuple[int, dict[str, str], str]:
        """Exit code, verdict by cell, everything printed."""
        result = self.gate()
        verdicts = {}
        for line in result.stdout.splitlines():
            verdict, cell = line.split()[:2]
            if cell.rstrip(":") in ALL:
                verdicts[cell.rstrip(":")] = verdict
        return result.returncode, verdicts, result.stdout + result.stderr

    def assert_red(self, red: set[str]) -> str:
        code, verdicts, text = self.judged()
        self.assertEqual(code, REGRESSION, text)
        self.assertEqual({cell for cell, verdict in verdicts.items() if verdict == "regressed"}, red, text)
        self.assertEqual({cell for cell, verdict in verdicts.items() if verdict == "unchanged"}, ALL - red, text)
        return text

    def test_an_untouched_rerun_is_green(self) -> None:
        self.measure()
        code, verdicts, text = self.judged()
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
        code, verdicts, text = self.judged()
        self.assertEqual(code, MISSING, text)
        self.assertEqual(verdicts[GPT2], "missing", text)


# What a fault adds -> the phases and categories in which the gate must find it.
BACKWARD_PEAK = {
    "unnamed": [("before", "unattributed")],
    "buffer": [("before", "buffer")],
    "parameter": [("before", "parameter"), ("before", "gradient"), ("before", "optimizer state")],
    "input": [("before", "input")],
    "saved_activation": [("forward", "saved activation")],
    "backward_temporary": [("backward", "temporary")],
}
MODELS = ("planted-mlp", "planted-gpt2-small", "planted-resnet18")
SIZES = (512, 64 << 10, 1 << 20, 24 << 20, 256 << 20)


def bytes_in(line: str) -> int:
    found = re.search(r"([+-][\d,]+) B\)$", line)
    assert found, line
    return int(found[1].replace(",", ""))


class PlantedAnywhere(Planted):
    """Every category, every phase, from the smallest block to one larger than any activation."""

    CELLS = ["--model", ",".join(MODELS), "--technique", "baseline"]
    TECHNIQUE = "baseline"
    FAULTS = BACKWARD_PEAK

    def assert_found(self, fault: str, size: int) -> None:
        self.measure(f"{fault}:{size}")
        result = self.gate()
        self.assertEqual(result.returncode, REGRESSION, f"{fault}:{size}\n{result.stdout}")
        for model in MODELS:
            cell = f"{model}/full/{self.TECHNIQUE}/sim:h200"
            with self.subTest(cell=cell, fault=fault, size=size):
                parts = self.growth(result.stdout, cell, size)
                for phase, category in self.FAULTS[fault]:
                    grown = sum(change for line, change in parts if f"  {phase}, " in line and f": {category}" in line)
                    self.assertGreaterEqual(grown, size, result.stdout)

    def growth(self, text: str, cell: str, size: int) -> list[tuple[str, int]]:
        """The lines below a cell with their bytes, which sum to what it grew."""
        start = text.index(cell)
        self.assertTrue(text[:start].endswith(f"{'regressed':<12} "), text)
        first, *below = text[start:].splitlines()
        change = re.search(r"peak_allocated_bytes .*?\(([+-][\d,]+) B", first)
        assert change, text
        parts = [(line, bytes_in(line)) for line in itertools.takewhile(lambda line: line.startswith(" "), below)]
        self.assertEqual(sum(grown for _, grown in parts), int(change[1].replace(",", "")), text)
        self.assertGreaterEqual(int(change[1].replace(",", "")), size, text)
        return parts

    def test_every_fault_is_found(self) -> None:
        for fault in self.FAULTS:
            for size in SIZES:
                self.assert_found(fault, size)


class PlantedInForward(PlantedAnywhere):
    """Forward alone: the peak is there."""

    CELLS = ["--model", ",".join(MODELS), "--technique", "no_grad"]
    TECHNIQUE = "no_grad"
    FAULTS = {"forward_temporary": [("forward", "temporary")]}


class PlantedInUpdate(PlantedAnywhere):
    """A wasteful optimizer: the peak is in the update."""

    CELLS = ["--model", ",".join(MODELS), "--technique", "planted_optimizer"]
    TECHNIQUE = "planted_optimizer"
    FAULTS = {"optimizer_temporary": [("optimizer", "temporary")]}


if __name__ == "__main__":
    unittest.main()
