"""Tests of simgpu/generate_standins.py.

Environment: SIMGPU_GENERATOR, SIMGPU_TORCH_DIR, SIMGPU_CUDA_INCLUDE_DIR.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR = pathlib.Path(os.environ["SIMGPU_GENERATOR"])
TORCH_DIR = pathlib.Path(os.environ["SIMGPU_TORCH_DIR"])
CUDA_INCLUDE_DIR = pathlib.Path(os.environ["SIMGPU_CUDA_INCLUDE_DIR"])


def generate(output, *more, torch=TORCH_DIR, sources=GENERATOR.parent, headers=CUDA_INCLUDE_DIR):
    return subprocess.run(
        [sys.executable, str(GENERATOR), "--torch", str(torch), "--sources", str(sources),
         "--cuda-include", str(headers), "--output", str(output), *more],
        capture_output=True, text=True, check=False)


def contents(folder):
    return {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}


class GenerateStandins(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_gives_the_same_bytes_twice(self):
        for name in ("first", "second"):
            self.assertEqual(generate(self.folder / name).returncode, 0)
        self.assertEqual(contents(self.folder / "first"), contents(self.folder / "second"))

    def test_leaves_unchanged_files_alone(self):
        generate(self.folder)
        before = {path: path.stat().st_mtime_ns for path in self.folder.iterdir()}
        generate(self.folder)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in self.folder.iterdir()})

    def test_lists_the_shared_state_and_the_driver_first(self):
        generate(self.folder)
        lines = (self.folder / "sonames.txt").read_text().splitlines()
        self.assertEqual(lines[:2], ["libsimgpu.so", "libcuda.so.1"])
        self.assertTrue(lines[2].startswith("libcudart.so."))

    def test_exports_under_the_name_the_headers_give(self):
        headers = self.folder / "headers"
        headers.mkdir()
        (headers / "cuda.h").write_text("#define cuInit cuInit_v7\n#define cuCtx_t cuCtx_st\n")
        (headers / "cuda_runtime_api.h").write_text(
            "    #define cudaFree  __CUDART_API_PTSZ(cudaFree_v2)\n"
            "#define cudaMalloc cudaMalloc_v3\n")
        sources = self.folder / "sources"
        (sources / "cudart").mkdir(parents=True)
        (sources / "cudart" / "one.cpp").write_text(
            "SIMGPU_EXPORT cudaError_t cudaMalloc(void**) {}\n"
            "SIMGPU_EXPORT cudaError_t cudaFree(void*) {}\n"
            "SIMGPU_EXPORT cudaError_t cudaMemset(void*) {}\n")
        generate(self.folder / "out", sources=sources, headers=headers)
        exported = next((self.folder / "out").glob("libcudart.so.*.map")).read_text().split()
        for name in ("cudaMalloc_v3;", "cudaFree_v2;", "cudaMemset;"):
            self.assertIn(name, exported)

    def test_states_the_cuda_version_of_torch(self):
        generate(self.folder)
        stated = (TORCH_DIR / "version.py").read_text().split("cuda: Optional[str] = '")[1]
        major, minor = stated.split("'")[0].split(".")
        self.assertIn(f"torch_cuda_version = {1000 * int(major) + 10 * int(minor)};",
                      (self.folder / "torch_build.hpp").read_text())

    def test_stops_only_at_names_no_source_implements(self):
        sources = self.folder / "sources"
        (sources / "cudart").mkdir(parents=True)
        (sources / "cudart" / "one.cpp").write_text(
            "SIMGPU_EXPORT cudaError_t cudaMalloc(void**, size_t) {}\n"
            "SIMGPU_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(\n    const char*) {}\n"
            "SIMGPU_EXPORT_LAUNCH(cudaLaunchKernel)\n")
        generate(self.folder / "out", sources=sources)
        stub = next((self.folder / "out").glob("libcudart.so.*.c")).read_text()
        self.assertIn("STOP(cudaFree)\n", stub)
        for name in ("cudaMalloc", "cudaGetDriverEntryPointByVersion", "cudaLaunchKernel"):
            self.assertNotIn(f"STOP({name})\n", stub)

    def test_serves_what_torch_looks_up_by_name(self):
        generate(self.folder)
        self.assertIn("libnvidia-ml.so.1", (self.folder / "sonames.txt").read_text().splitlines())
        driver = (self.folder / "libcuda.so.1.map").read_text()
        self.assertIn("    cuMulticastCreate;\n", driver)
        self.assertIn("STOP(cuMulticastCreate)\n", (self.folder / "libcuda.so.1.c").read_text())

    def test_takes_the_version_of_nccl_from_the_wheel(self):
        generate(self.folder)
        self.assertRegex((self.folder / "torch_build.hpp").read_text(), r"torch_nccl_version = 2\d{4};")

    def test_names_a_missing_torch(self):
        done = generate(self.folder, torch=self.folder / "nowhere")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nowhere/lib/libc10_cuda.so does not exist", done.stderr)

    def test_names_a_missing_nm(self):
        done = generate(self.folder, "--nm", "no-such-nm")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the program 'no-such-nm' was not found", done.stderr)


if __name__ == "__main__":
    unittest.main()
