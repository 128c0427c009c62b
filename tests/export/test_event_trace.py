"""The trace of a captured cell reaches what the record of the same cell says."""

from __future__ import annotations

import json
import unittest

from hostile_run import ExportTest

CELL = ("--suite", "smoke", "--device", "sim:h200", "--model", "mlp", "--technique", "baseline")


class EventTrace(ExportTest):
    def test_the_counters_reach_the_peaks_of_the_record(self) -> None:
        self.highwater("capture", *CELL, "--trace", "--into", "captured")
        self.highwater("run", *CELL, "--record-only", "--results", "runs")
        captured = json.loads((self.folder / "captured/capture.json").read_text())["cells"]
        trace = self.validated((self.folder / "captured" / next(iter(captured.values()))["trace"]).read_bytes(), "trace")
        record = json.loads(next(self.folder.glob("runs/latest/records.jsonl")).read_text().splitlines()[1])
        self.assertEqual(list(captured), [record["cell"]])
        for counter in ("requested", "reserved"):
            highest = max(event["args"]["bytes"] for event in trace["traceEvents"]
                          if event["ph"] == "C" and event["name"] == f"{counter} bytes")
            self.assertEqual(highest, record["metrics"][f"peak_{counter}_bytes"])


if __name__ == "__main__":
    unittest.main()
