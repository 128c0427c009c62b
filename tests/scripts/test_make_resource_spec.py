"""scripts/make_resource_spec.py, read by a real ctest: two tests that want a GPU each get another one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_resource_spec.py"

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(wants_gpus NONE)
enable_testing()
foreach(name first second)
  add_test(NAME ${name} COMMAND sh -c "echo got-$CTEST_RESOURCE_GROUP_0_GPUS; sleep 1")
  set_tests_properties(${name} PROPERTIES RESOURCE_GROUPS "gpus:1")
endforeach()
"""


class MakeResourceSpec(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def spec(self, nvidia_smi: str) -> subprocess.CompletedProcess[str]:
        fake = self.folder / "nvidia-smi"
        fake.write_text(f"#!/bin/sh\n{nvidia_smi}\n")
        fake.chmod(0o755)
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run([sys.executable, "-B", SCRIPT], env=os.environ | {"PATH": path}, capture_output=True,
                              text=True)

    def test_two_tests_at_once_get_two_gpus(self) -> None:
        (self.folder / "CMakeLists.txt").write_text(PROJECT)
        (self.folder / "gpus.json").write_text(self.spec("echo 0; echo 3").stdout)
        build = self.folder / "build"
        subprocess.run(["cmake", "-S", self.folder, "-B", build], check=True, capture_output=True)
        done = subprocess.run(["ctest", "--test-dir", build, "--resource-spec-file", self.folder / "gpus.json", "-j", "2",
                               "-V"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for number in "03":
            self.assertEqual(done.stdout.count(f"got-id:{number},slots:1"), 1, done.stdout)

    def test_where_no_gpu_can_be_listed_nothing_is_printed_and_the_reason_said(self) -> None:
        for nvidia_smi in ("echo No devices were found", "echo broken >&2; exit 9", "true"):
            done = self.spec(nvidia_smi)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("lists no GPUs", done.stderr)


if __name__ == "__main__":
    unittest.main()
