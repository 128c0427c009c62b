#!/usr/bin/env python3
"""Tests of scripts/kernel_log_to_trace.py: what becomes of a line, and what is refused."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "kernel_log_to_trace.py"
KERNEL = {"process": 7, "index": 0, "device": 1, "stream": 3, "kind": "kernel", "name": "sum", "grid": [2, 1, 1]}
COPY = {"process": 7, "index": 1, "device": 1, "stream": 0, "kind": "copy", "direction": "device to host", "bytes": 4}


class KernelLogToTrace(unittest.TestCase):
    def convert(self, text):
        with tempfile.TemporaryDirectory() as folder:
            log, trace = Path(folder, "log.jsonl"), Path(folder, "trace.json")
            log.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, log, trace], capture_output=True, text=True, check=False)
            return done, json.loads(trace.read_text()) if trace.exists() else None

    def test_every_line_is_an_event_in_the_row_of_its_stream(self):
        done, trace = self.convert(f"{json.dumps(KERNEL)}\n{json.dumps(COPY)}\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernel, copy = trace["traceEvents"]
        self.assertEqual((kernel["name"], kernel["tid"], kernel["ts"], kernel["dur"]), ("sum", "stream 3", 0, 1))
        self.assertEqual(kernel["args"], {"name": "sum", "grid": [2, 1, 1]})
        self.assertEqual((copy["name"], copy["pid"]), ("copy device to host", "process 7, device 1"))

    def test_a_line_that_is_no_work_is_refused_by_number(self):
        for line in ("nonsense", "{}", "[1]"):
            done, trace = self.convert(f"{json.dumps(KERNEL)}\n{line}\n")
            self.assertEqual(done.returncode, 2)
            self.assertIn("line 2 of", done.stderr)
            self.assertIsNone(trace)

    def test_a_missing_log_is_refused_by_name(self):
        done = subprocess.run([sys.executable, SCRIPT, "no/log", "trace"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no/log cannot be used", done.stderr)


if __name__ == "__main__":
    unittest.main()
