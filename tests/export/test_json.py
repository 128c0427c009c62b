"""Google Benchmark, smaller-is-better, Bencher and Chrome trace, held against their schemas and the records."""

from __future__ import annotations

import unittest

from hostile_run import AFTER, MEASURED, PEAK, PHASES, ExportTest, identity, values

KEYS = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
        "threads", "iterations", "real_time", "cpu_time", "time_unit", "error_occurred", "error_message"}


class GoogleBenchmark(ExportTest):
    def test_every_cell_is_a_benchmark_and_every_number_a_counter(self) -> None:
        rows = self.exported_json("google-benchmark")["benchmarks"]
        self.assertEqual([row["name"] for row in rows], [row["cell"] for row in AFTER])
        for row, record in zip(rows, AFTER, strict=True):
            self.assertEqual({key: value for key, value in row.items() if key not in KEYS}, values(record))
            self.assertEqual(row.get("error_occurred", False), record["outcome"] != "measured")
            reason = f"{record['outcome']}: {record['reason']}"
            self.assertEqual(row.get("error_message", reason), reason)


class SmallerIsBetter(ExportTest):
    def test_every_gated_metric_of_every_measured_cell_is_an_entry(self) -> None:
        entries = self.exported_json("smaller-is-better")
        gated = (PEAK, "peak_reserved_bytes", "leak_bytes")
        self.assertEqual([(entry["name"], entry["value"]) for entry in entries],
                         [(f"{row['cell']}: {metric}", row["metrics"][metric]) for row in MEASURED for metric in gated])

    def test_the_high_end_and_the_verdict_are_told(self) -> None:
        entries = {entry["name"]: entry for entry in self.exported_json("smaller-is-better")}
        bounded = entries[f"{identity('bounded')}: {PEAK}"]
        self.assertEqual(bounded["range"], f"high end {7 << 30}")
        self.assertIn("verdict: regressed\n", entries[f"{identity('grown')}: {PEAK}"]["extra"])


class Bencher(ExportTest):
    def test_every_metric_of_every_measured_cell_is_a_measure(self) -> None:
        cells = self.exported_json("bencher")
        self.assertEqual(list(cells), [row["cell"] for row in MEASURED])
        for row in MEASURED:
            self.assertEqual({measure: value["value"] for measure, value in cells[row["cell"]].items()},
                             {metric.replace("_", "-"): value for metric, value in row["metrics"].items()})

    def test_bounds_hold_the_value(self) -> None:
        bounded = self.exported_json("bencher")[identity("bounded")]
        self.assertEqual(bounded[PEAK.replace("_", "-")],
                         {"value": 6 << 30, "lower_value": 6 << 30, "upper_value": 7 << 30})
        for measure in bounded.values():
            self.assertLessEqual(measure.get("lower_value", measure["value"]), measure["value"])
            self.assertGreaterEqual(measure.get("upper_value", measure["value"]), measure["value"])


class ChromeTrace(ExportTest):
    def test_every_measured_cell_is_a_process_whose_spans_follow_each_other(self) -> None:
        events = self.exported_json("chrome-trace", "trace")["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        self.assertEqual(list(names.values()), [row["cell"] for row in MEASURED])
        for process in names:
            spans = [event for event in events if event["ph"] == "X" and event["pid"] == process]
            self.assertEqual([f"{span['name']}_{PEAK}" for span in spans], list(PHASES))
            self.assertEqual([span["ts"] for span in spans[1:]], [span["ts"] + span["dur"] for span in spans[:-1]])

    def test_a_counter_has_one_series_because_several_are_drawn_on_top_of_each_other(self) -> None:
        events = self.exported_json("chrome-trace", "trace")["traceEvents"]
        counters = [event for event in events if event["ph"] == "C"]
        self.assertTrue(counters)
        self.assertEqual({len(event["args"]) for event in counters}, {1})


if __name__ == "__main__":
    unittest.main()
