"""What the tests of `highwater exec` share: they run it and hold its report against what the program prints."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))


class ExecTest(unittest.TestCase):
    """A test with an empty folder of its own; `highwater` is the program's path."""

    highwater = ""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def exec(self, *command: object, device: str = "sim:h200", flags: tuple[str, ...] = (),
             **options: object) -> subprocess.CompletedProcess[str]:
        report = self.folder / "report.json"
        words = [self.highwater, "exec", "--device", device, "--report", report, *flags, "--", *command]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=1500, **options)  # type: ignore[call-overload]
        self.assertTrue(report.exists(), done.stderr)
        self.report = json.loads(report.read_text() or "[]")
        self.processes = self.report[0]["processes"] if self.report else []
        return done

    def only_device(self) -> dict:
        self.assertEqual(len(self.processes), 1, self.processes)
        self.assertEqual(len(self.processes[0]["devices"]), 1)
        return self.processes[0]["devices"][0]

    def assert_peaks_as_printed(self, done: subprocess.CompletedProcess[str]) -> None:
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = {words[1]: int(words[2]) for line in done.stdout.splitlines()
                   if len(words := line.split()) == 3 and words[0] == "peak"}
        device = self.only_device()
        self.assertEqual(set(printed), {"allocated", "reserved"}, done.stdout)
        self.assertEqual(device["torch"]["allocated_bytes"]["peak"], printed["allocated"])
        self.assertEqual(device["torch"]["reserved_bytes"]["peak"], printed["reserved"])
        self.assertEqual(device["reserved_bytes"]["peak"], printed["reserved"])
        self.assertEqual(device["torch"]["sampled"], "at-exit")
