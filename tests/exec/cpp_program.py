#!/usr/bin/env python3
"""Builds examples/mnist against a torch and runs it under `highwater exec`.

    cpp_program.py HIGHWATER TORCH_DIR CUDA_INCLUDE_DIR
"""

from __future__ import annotations

import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from support import REPOSITORY, ExecTest  # noqa: E402


class CppProgram(ExecTest):
    torch = cuda_include = ""

    def build(self) -> str:
        build = self.folder / "build"
        configure = ["cmake", "-S", REPOSITORY / "examples" / "mnist", "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
                     f"-DTORCH_DIR={self.torch}", f"-DCUDA_INCLUDE_DIR={self.cuda_include}"]
        for command in (configure, ["cmake", "--build", build]):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return str(build / "mnist")

    def test_peaks_of_the_mnist_example(self) -> None:
        done = subprocess.run([REPOSITORY / "scripts" / "install_cudnn.sh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_peaks_as_printed(self.exec(self.build(), flags=("--cudnn", done.stdout.strip())))


if __name__ == "__main__":
    CppProgram.highwater, CppProgram.torch, CppProgram.cuda_include = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0]], verbosity=2)
