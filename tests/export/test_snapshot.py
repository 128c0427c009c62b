"""A snapshot is what CPython and torch's own viewer read, and its totals are those of the record."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

from hostile_run import ExportTest

CELLS = {"sim:h200": "mlp/full/baseline/sim:h200", "cpu": "mlp/twin/baseline/cpu"}


def viewer() -> ModuleType:
    """torch/cuda/_memory_viz.py alone: it needs no torch."""
    cache = Path(os.environ.get("HIGHWATER_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "highwater")
    found = sorted(cache.glob("python-torch-2.11*/lib/python*/site-packages/torch/cuda/_memory_viz.py"))
    if not found:
        raise unittest.SkipTest("no torch for Python in the cache: the tests of highwater exec install one")
    spec = importlib.util.spec_from_file_location("memory_viz", found[-1])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Snapshot(ExportTest):
    def snapshot(self, device: str) -> dict[str, Any]:
        self.highwater("snapshot", CELLS[device], "--output", "snapshot.pickle")
        snapshot: dict[str, Any] = pickle.loads((self.folder / "snapshot.pickle").read_bytes())
        return snapshot

    def metrics(self, device: str) -> dict[str, int]:
        self.highwater("run", "--suite", "smoke", "--device", device, "--model", "mlp", "--technique", "baseline", "--record-only",
                       "--results", "runs")
        record = json.loads((self.folder / "runs/latest/records.jsonl").read_text().splitlines()[1])
        self.assertEqual(record["cell"], CELLS[device])
        metrics: dict[str, int] = record["metrics"]
        return metrics

    @staticmethod
    def highest(trace: list[dict[str, Any]]) -> int:
        alive = highest = 0
        for event in trace:
            alive += {"alloc": 1, "free_requested": -1}.get(event["action"], 0) * event["size"]
            highest = max(highest, alive)
        return highest

    def test_totals_are_those_of_the_record(self) -> None:
        for device in CELLS:
            with self.subTest(device):
                snapshot, metrics = self.snapshot(device), self.metrics(device)
                [trace] = snapshot["device_traces"]
                self.assertEqual(self.highest(trace), metrics["peak_requested_bytes"])
                allocated = sum(block["size"] for segment in snapshot["segments"] for block in segment["blocks"]
                                if block["state"] == "active_allocated")
                self.assertEqual(allocated, metrics["rest_allocated_bytes"])
                if device != "cpu":
                    self.assertEqual(sum(segment["total_size"] for segment in snapshot["segments"]), metrics["peak_reserved_bytes"])

    def test_torchs_viewer_takes_it(self) -> None:
        torchs = viewer()
        for device in CELLS:
            with self.subTest(device):
                snapshot = self.snapshot(device)
                self.assertIn("MemoryViz", torchs.trace_plot(snapshot))
                self.assertIn("MemoryViz", torchs.segment_plot(snapshot))
                self.assertIn(f"segments: {len(snapshot['segments'])}", torchs.segsum(snapshot))
                self.assertIn("aten::", torchs.memory(snapshot, format_flamegraph=lambda text: text))
                self.assertTrue(torchs.trace(snapshot))


if __name__ == "__main__":
    unittest.main()
