#!/usr/bin/env python3
"""Runs Python programs under `highwater exec`, on one torch.

    python_programs.py HIGHWATER TORCH_VERSION [TEST...]
"""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from support import REPOSITORY, ExecTest  # noqa: E402

import install_python_torch  # noqa: E402

# Ends by printing what the report must say too.
PRINT_PEAKS = """
print("peak allocated", torch.cuda.max_memory_allocated())
print("peak reserved", torch.cuda.max_memory_reserved())
"""
# A moment at the end: an autograd thread that still wants Python's lock when the interpreter shuts down makes torch
# 2.15 abort ("terminate called"), on a loaded machine in every second run. A real step leaves that time by itself.
TRAIN = """
import atexit, os, signal, sys, time, torch
atexit.register(time.sleep, 0.5)
def step(width=512):
    model = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.ReLU(), torch.nn.Linear(4 * width, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        loss = model(torch.randn(256, width, device="cuda")).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    return model
"""

DATA_PARALLEL = """
import torch.distributed as distributed
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
distributed.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1024, 4096).cuda())
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    loss = model(torch.randn(256, 1024, device="cuda")).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
torch.cuda.synchronize()
distributed.destroy_process_group()
"""


class PythonPrograms(ExecTest):
    version = ""

    def setUp(self) -> None:
        super().setUp()
        self.python = str(install_python_torch.prepare(self.version))

    def cudnn(self) -> str:
        """The folder of a cuDNN for the CUDA of this torch, downloaded once."""
        major = "12" if self.version == "2.6.0" else "13"
        done = subprocess.run([REPOSITORY / "scripts" / "install_cudnn.sh", major], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def script(self, text: str, *flags: str, **options: object) -> subprocess.CompletedProcess[str]:
        path = self.folder / "program.py"
        path.write_text(TRAIN + text)
        return self.exec(self.python, path, flags=flags, **options)

    def test_peaks_of_a_training_step(self) -> None:
        self.assert_peaks_as_printed(self.script("model = step()" + PRINT_PEAKS))
        self.assertGreater(self.processes[0]["launches"], 0)
        self.assertGreater(self.processes[0]["library_calls"], 0)

    def test_peaks_of_the_gpt2_example_with_data_loader_workers(self) -> None:
        example = REPOSITORY / "examples" / "gpt2_finetune.py"
        # On an A100 torch takes flash attention; on an H200 it would take cuDNN's.
        self.assert_peaks_as_printed(self.exec(self.python, example, "--max_steps", 2, device="sim:a100-80gb"))

    def test_peaks_of_the_resnet50_example(self) -> None:
        self.assert_peaks_as_printed(self.exec(self.python, REPOSITORY / "examples" / "resnet50_train.py",
                                               flags=("--cudnn", self.cudnn())))

    def test_peaks_with_expandable_segments(self) -> None:
        settings = 'import os; os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"\n'
        path = self.folder / "program.py"
        path.write_text(settings + TRAIN + "model = step()" + PRINT_PEAKS)
        self.assert_peaks_as_printed(self.exec(self.python, path))

    def test_a_peak_survives_its_reset(self) -> None:
        done = self.script("model = step()\nbefore = torch.cuda.max_memory_allocated()\ndel model\n"
                           "torch.cuda.empty_cache()\ntorch.cuda.reset_peak_memory_stats()\n"
                           "print(before, torch.cuda.max_memory_allocated())")
        before, after = map(int, done.stdout.split())
        self.assertLess(after, before)
        self.assertEqual(self.only_device()["torch"]["allocated_bytes"]["peak"], before)
        self.assertTrue(self.only_device()["torch"]["peaks_survive_resets"])

    def test_running_out_of_memory(self) -> None:
        done = self.script("step(16384)", "--capacity", "2GiB")
        self.assertEqual(done.returncode, 1)
        self.assertIn("OutOfMemoryError", done.stderr)
        device = self.only_device()
        self.assertGreaterEqual(device["torch"]["out_of_memory"], 1)
        self.assertGreaterEqual(device["torch"]["retries"], 1)
        self.assertGreaterEqual(device["failed_mallocs"], 1)
        self.assertEqual(device["capacity_bytes"], 2 << 30)
        self.assertIn("out of memory", done.stderr)

    def test_a_process_that_is_killed_has_told(self) -> None:
        whole = self.script("model = step()" + PRINT_PEAKS)
        self.assert_peaks_as_printed(whole)
        expected = self.only_device()["reserved_bytes"]["peak"]
        done = self.script("model = step()\nsys.stdout.flush()\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(done.returncode, 128 + 9)
        self.assertEqual(self.only_device()["reserved_bytes"]["peak"], expected)
        self.assertEqual(self.only_device()["torch"]["sampled"], "while-running")

    def test_leaving_by_exit_has_told(self) -> None:
        self.assertEqual(self.script("model = step()\nos._exit(7)").returncode, 7)
        self.assertGreater(self.only_device()["torch"]["allocated_bytes"]["peak"], 0)

    def test_two_processes_on_one_device_add_up(self) -> None:
        self.script("import subprocess\nif len(sys.argv) == 1: subprocess.run([sys.executable, __file__, 'child'])\n"
                    "model = step()")
        self.assertEqual(len(self.processes), 2)
        peaks = [process["devices"][0]["reserved_bytes"]["peak"] for process in self.processes]
        self.assertEqual(self.report[0]["devices"][0]["processes"], 2)
        self.assertEqual(self.report[0]["devices"][0]["sum_of_reserved_peaks_bytes"], sum(peaks))

    def test_two_devices(self) -> None:
        done = self.script("a = torch.ones(3 << 20, device='cuda:0')\nb = torch.ones(5 << 20, device='cuda:1')\n"
                           "print(torch.cuda.device_count())", "--devices", "2")
        self.assertEqual(done.stdout, "2\n")
        sizes = [device["torch"]["requested_bytes"]["peak"] for device in self.processes[0]["devices"]]
        self.assertEqual(sizes, [4 * 3 << 20, 4 * 5 << 20])

    def test_ranks_of_torchrun_and_one_that_poses_need_the_same(self) -> None:
        if self.version == "2.15.0":
            self.skipTest("a known gap (simgpu/README.md): its data parallel finds other ranks without parameters")
        path = self.folder / "program.py"
        path.write_text(TRAIN + DATA_PARALLEL)
        started = self.exec(self.python, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, path,
                            flags=("--devices", "2"))
        self.assertEqual(started.returncode, 0, started.stderr)
        peaks = {device["torch"]["requested_bytes"]["peak"] for process in self.processes for device in process["devices"]}
        self.assertEqual(len(peaks), 1, self.processes)
        posing = self.exec(self.python, path, flags=("--world", "2", "--rank", "0"))
        self.assertEqual(posing.returncode, 0, posing.stderr)
        self.assertEqual({self.only_device()["torch"]["requested_bytes"]["peak"]}, peaks)

    def test_a_script_with_its_interpreter_in_the_first_line(self) -> None:
        path = self.folder / "train"
        path.write_text(f"#!{self.python}\n" + TRAIN + "model = step()" + PRINT_PEAKS)
        path.chmod(0o755)
        self.assert_peaks_as_printed(self.exec(path))

    def test_a_shell_that_starts_python(self) -> None:
        path = self.folder / "program.py"
        path.write_text(TRAIN + "model = step()" + PRINT_PEAKS)
        torch = Path(subprocess.run([self.python, "-c", "import importlib.util as u; print(u.find_spec('torch').origin)"],
                                    capture_output=True, text=True, check=True).stdout.strip()).parent
        self.assert_peaks_as_printed(self.exec("sh", "-c", f"{self.python} {path}", flags=("--torch", str(torch))))

    def test_input_and_output_are_the_programs(self) -> None:
        done = self.script("print(sys.stdin.read().upper(), end='')", input="hello")
        self.assertEqual((done.stdout, done.returncode), ("HELLO", 0))
        self.assertEqual(self.processes, [])
        self.assertIn("no process of it used the device", done.stderr)


if __name__ == "__main__":
    PythonPrograms.highwater, PythonPrograms.version = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
