"""The shell scripts pass arguments and exit codes through. Everything they call is a stand-in."""

import os
import shutil
import subprocess
import unittest

from support import REPOSITORY, SCRIPTS, FolderTest

TORCH_FILES = ("include/a.h", "lib/libc10.so", "lib/libtorch_cpu.so", "lib/libc10_cuda.so", "lib/libtorch_cuda.so")


class Setup(FolderTest):
    def bash(self, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HIGHWATER_CACHE": str(self.folder / "cache"), **variables}
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        return self.run_command("bash", "-c", f"source '{SCRIPTS}/setup.sh'; {command}", env=environment)

    def make_torch(self, version: str) -> None:
        for name in TORCH_FILES:
            self.write(f"torch/{name}", "")
        self.write("torch/version.py", f"from typing import Optional\n__version__ = '{version}'\n")

    def make_toolkit(self, version: int) -> str:
        self.write("cuda/include/cuda.h", f"#define CUDA_VERSION {version}\n")
        self.write("cuda/include/cuda_runtime_api.h", "")
        self.write("cuda/include/crt/host_defines.h", "")
        return str(self.folder / "cuda")

    def test_an_existing_torch_of_the_pinned_version_is_taken(self) -> None:
        self.make_torch("2.11.0+cu130")
        done = self.bash("install_torch; echo $torch", HIGHWATER_TORCH=f"{self.folder}/torch/")
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/torch\n"), done.stderr)

    def test_another_version_is_refused(self) -> None:
        self.make_torch("2.11.10")
        done = self.bash("install_torch", HIGHWATER_TORCH=f"{self.folder}/torch")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is torch '2.11.10', but Highwater is pinned to 2.11.0", done.stderr)

    def test_a_folder_that_is_no_torch_is_refused(self) -> None:
        self.make_torch("2.11.0")
        (self.folder / "torch/lib/libtorch_cuda.so").unlink()
        done = self.bash("install_torch", HIGHWATER_TORCH=f"{self.folder}/torch")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no lib/libtorch_cuda.so", done.stderr)

    def test_a_toolkit_of_the_right_major_version_gives_the_headers(self) -> None:
        done = self.bash("find_toolkit_headers", HIGHWATER_CUDA_TOOLKITS="nowhere:" + self.make_toolkit(13010))
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/cuda/include\n"))

    def test_an_older_toolkit_does_not(self) -> None:
        done = self.bash("find_toolkit_headers", HIGHWATER_CUDA_TOOLKITS=self.make_toolkit(12080))
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_missing_packages_are_named(self) -> None:
        self.write("bin/dpkg-query", "#!/bin/sh\nprintf 'installed b\\nconfig-files c\\n'\nexit 1\n", executable=True)
        done = self.bash("DEBIAN_PACKAGES='a b c'; missing_packages")
        self.assertEqual((done.returncode, done.stdout), (0, "a\nc\n"))

    def test_a_user_who_may_not_install_gets_the_command(self) -> None:
        self.write("bin/dpkg-query", "#!/bin/sh\n", executable=True)
        done = self.bash("as_root() { return 1; }; DEBIAN_PACKAGES='a b'; install_packages")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sudo apt-get install -y --no-install-recommends a b", done.stderr)

    def test_a_browser_is_installed_where_there_is_none_and_the_distribution_has_one(self) -> None:
        self.write("bin/apt-get", f"#!/bin/sh\necho \"$@\" >>'{self.folder}/asked'\n", executable=True)
        for candidate, has, skip, asked in (("1.0", 1, 0, True), ("(none)", 1, 0, False), ("1.0", 0, 0, False), ("1.0", 1, 1, False)):
            with self.subTest(candidate=candidate, has=has, skip=skip):
                self.write("bin/apt-cache", f"#!/bin/sh\necho '  Candidate: {candidate}'\n", executable=True)
                done = self.bash(f"has_browser() {{ return {has}; }}; as_root() {{ echo env; }}; BROWSER_PACKAGE=b; install_browser",
                                 HIGHWATER_SKIP_BROWSER=str(skip))
                self.assertEqual(done.returncode, 0, done.stderr)
                log = self.folder / "asked"
                self.assertEqual(log.exists(), asked)
                log.unlink(missing_ok=True)

    def test_an_old_cmake_is_refused(self) -> None:
        for version, code in (("3.9.0", 2), ("3.24.9", 2), ("3.25.0", 0), ("4.0.1", 0)):
            with self.subTest(version):
                self.write("bin/cmake", f"#!/bin/sh\necho 'cmake version {version}'\n", executable=True)
                self.assertEqual(self.bash("check_cmake").returncode, code)

    def test_paths_differ_where_the_choice_of_torch_differs(self) -> None:
        files = {self.bash("paths_file", HIGHWATER_TORCH=torch).stdout for torch in ("", "a", "b", "b")}
        self.assertEqual(len(files), 3)

    def test_paths_survive_blanks(self) -> None:
        self.bash("mkdir -p $HIGHWATER_CACHE_DIR; torch='/a b'; cuda_include='c'; write_paths; load_paths")
        done = self.bash("load_paths; printf '%s|' \"${HIGHWATER_CMAKE_ARGS[@]}\"")
        self.assertTrue(done.stdout.startswith("-DHIGHWATER_TORCH_DIR=/a b|-DHIGHWATER_CUDA_INCLUDE_DIR=c|"), done)

    def test_an_unwritable_cache_is_refused(self) -> None:
        self.write("cache", "a file, where a folder should be")
        done = self.bash("chmod a-w $HIGHWATER_CACHE_DIR; HIGHWATER_CACHE_DIR+=/below; lock_cache")
        self.assertEqual(done.returncode, 2)
        self.assertIn("set HIGHWATER_CACHE", done.stderr)


class Cudnn(FolderTest):
    """The wheels are never downloaded here: python3 is a stand-in that unpacks nothing, or one library."""

    def bash(self, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if key != "HIGHWATER_CUDNN_DIR"}
        environment = {**kept, "HIGHWATER_CACHE": str(self.folder / "cache"), **variables}
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        return self.run_command("bash", "-c", command, env=environment)

    def test_is_installed_once_and_found_after(self) -> None:
        self.write("bin/python3", f"""#!/usr/bin/env bash
echo run >>{self.folder}/runs
mkdir -p "$3/nvidia/cudnn/lib" && touch "$3/nvidia/cudnn/lib/libcudnn.so.9"
""", executable=True)
        first, second = (self.bash(f"{SCRIPTS}/install_cudnn.sh") for _ in range(2))
        self.assertEqual((first.returncode, first.stdout), (0, second.stdout), first.stderr)
        self.assertTrue(first.stdout.endswith("/nvidia/cudnn/lib\n"), first.stdout)
        self.assertEqual((self.folder / "runs").read_text(), "run\n")
        found = self.bash(f"source {SCRIPTS}/environment.sh; echo $HIGHWATER_CUDNN_DIR")
        self.assertEqual(found.stdout, first.stdout)

    def test_is_not_named_where_it_is_not(self) -> None:
        done = self.bash(f"source {SCRIPTS}/environment.sh; echo ${{HIGHWATER_CUDNN_DIR-none}}")
        self.assertEqual((done.returncode, done.stdout), (0, "none\n"))

    def test_a_failed_download_is_a_failure(self) -> None:
        self.write("bin/python3", "#!/bin/sh\nexit 1\n", executable=True)
        done = self.bash(f"{SCRIPTS}/install_cudnn.sh")
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_is_left_out_of_the_set_up_on_request(self) -> None:
        self.write("bin/python3", "#!/bin/sh\nexit 1\n", executable=True)
        for variables in ({"HIGHWATER_SKIP_CUDNN": "1"}, {"HIGHWATER_CUDNN_DIR": "/own"}):
            done = self.bash(f"source {SCRIPTS}/setup.sh; install_cudnn", **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bash(f"source {SCRIPTS}/setup.sh; install_cudnn").returncode, 1)


class CommandTest(FolderTest):
    """A repository of stand-ins around the real run.sh and test.sh."""

    def setUp(self) -> None:
        super().setUp()
        for name in ("scripts/run.sh", "scripts/test.sh", "scripts/environment.sh", "cmake/versions.env"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(REPOSITORY / name, self.folder / name)
        self.log = self.folder / "calls"
        self.write("scripts/setup.sh", f"""#!/usr/bin/env bash
source "$(dirname "$0")/environment.sh"
mkdir -p "$HIGHWATER_CACHE_DIR"
printf 'HIGHWATER_TORCH_DIR=t\\nHIGHWATER_CUDA_INCLUDE_DIR=c\\nHIGHWATER_PYTHON={self.folder}/bin/python\\n' >"$(paths_file)"
""", executable=True)
        for name in ("cmake", "ctest", "python"):
            self.stand_in(name)

    def stand_in(self, name: str, body: str = "", place: str = "bin") -> None:
        self.write(f"{place}/{name}", f'#!/usr/bin/env bash\necho {name} "$@" >>{self.log}\n{body}\n', executable=True)

    def script(self, name: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HIGHWATER")}
        environment = {**kept, "HIGHWATER_CACHE": str(self.folder / "cache"), **variables}
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        return self.run_command("bash", self.folder / "scripts" / name, *arguments, env=environment)

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()


class Test(CommandTest):
    PATHS = "-DHIGHWATER_TORCH_DIR=t -DHIGHWATER_CUDA_INCLUDE_DIR=c -DHIGHWATER_PYTHON="

    def test_asan_comes_first_and_arguments_go_to_the_last_ctest(self) -> None:
        self.assertEqual(self.script("test.sh", "-R", "gate").returncode, 0)
        calls = [call.split(" -DHIGHWATER")[0] for call in self.calls()]
        self.assertEqual(calls, [
            "cmake --preset asan", "cmake --build --preset asan",
            "ctest --preset asan --no-tests=error --output-on-failure",
            "cmake --preset dev", "cmake --build --preset dev",
            "ctest --preset dev --no-tests=error --output-on-failure -R gate"])
        self.assertIn(self.PATHS, self.calls()[0])

    def test_tests_run_side_by_side_unless_told_otherwise(self) -> None:
        self.stand_in("ctest", f'echo "at once: $CTEST_PARALLEL_LEVEL" >>{self.log}')
        kept = os.environ.pop("CTEST_PARALLEL_LEVEL", None)
        if kept is not None:
            self.addCleanup(os.environ.__setitem__, "CTEST_PARALLEL_LEVEL", kept)
        self.script("test.sh", HIGHWATER_SKIP_ASAN="1")
        self.assertEqual(self.calls()[-1], f"at once: {len(os.sched_getaffinity(0))}")
        self.script("test.sh", HIGHWATER_SKIP_ASAN="1", CTEST_PARALLEL_LEVEL="7")
        self.assertEqual(self.calls()[-1], "at once: 7")

    def test_fuzzers_run_only_where_their_time_is_given_and_can_fail(self) -> None:
        self.stand_in("fuzz.sh", "exit 7", place="scripts")
        self.script("test.sh", HIGHWATER_SKIP_ASAN="1")
        self.assertFalse(any("fuzz" in call for call in self.calls()))
        self.assertEqual(self.script("test.sh", HIGHWATER_FUZZ_SECONDS="3").returncode, 7)
        self.assertEqual(self.calls()[-1], "fuzz.sh")

    def test_preset_and_asan_can_be_chosen(self) -> None:
        self.script("test.sh", HIGHWATER_PRESET="ci", HIGHWATER_SKIP_ASAN="1")
        self.assertEqual(self.calls()[-1], "ctest --preset ci --no-tests=error --output-on-failure")
        self.assertFalse(any("asan" in call for call in self.calls()))

    def test_every_step_can_fail_and_its_code_comes_through(self) -> None:
        self.stand_in("ctest", '[[ $* != *dev* ]] || exit 8')
        self.assertEqual(self.script("test.sh").returncode, 8)
        self.stand_in("ctest", '[[ $* != *asan* ]] || exit 9')
        self.assertEqual(self.script("test.sh").returncode, 9)
        self.stand_in("cmake", '[[ $* != *--build* ]] || exit 2')
        self.assertEqual(self.script("test.sh").returncode, 2)


class Run(CommandTest):
    WRITES = 'mkdir -p {0}/now; echo >{0}/now/records.jsonl; ln -sfn now {0}/latest'

    def highwater(self, body: str) -> None:
        self.stand_in("highwater", body, place="build/bin")

    def figures(self) -> list[str]:
        return [call for call in self.calls() if call.startswith("highwater plot")]

    def test_the_default_suite_is_run_and_drawn(self) -> None:
        self.highwater(self.WRITES.format("results/runs"))
        self.assertEqual(self.script("run.sh").returncode, 0)
        self.assertIn("highwater run --suite default", self.calls())
        self.assertEqual(self.figures(), [f"highwater plot --run {self.folder}/results/runs/now"])

    def test_arguments_and_exit_code_go_through(self) -> None:
        self.highwater(self.WRITES.format("results/runs") + "; exit 3")
        self.assertEqual(self.script("run.sh", "--suite", "a b").returncode, 3)
        self.assertIn("highwater run --suite a b", self.calls())
        self.assertEqual(len(self.figures()), 1)

    def test_another_preset_is_built_and_run_from_its_own_folder(self) -> None:
        self.stand_in("highwater", place="build-gpu/bin")
        self.assertEqual(self.script("run.sh", HIGHWATER_PRESET="gpu").returncode, 0)
        self.assertIn("cmake --build --preset gpu --target highwater", self.calls())

    def test_another_results_folder_is_found(self) -> None:
        self.highwater(self.WRITES.format("other"))
        for arguments in (["--results", "other"], ["--results=other"]):
            with self.subTest(arguments):
                self.log.unlink(missing_ok=True)
                self.script("run.sh", *arguments)
                self.assertIn(f"--run {self.folder}/other/now", self.figures()[0])

    def test_a_record_of_the_same_clock_tick_is_new(self) -> None:
        (self.folder / "tmp").mkdir()
        self.highwater(self.WRITES.format("results/runs") + '; touch -r "$TMPDIR"/tmp.* results/runs/now/records.jsonl')
        self.assertEqual(self.script("run.sh", TMPDIR=str(self.folder / "tmp")).returncode, 0)
        self.assertEqual(len(self.figures()), 1)

    def test_no_figure_of_an_old_run(self) -> None:
        self.highwater(self.WRITES.format("results/runs"))
        self.script("run.sh")
        self.highwater("exit 2")
        self.assertEqual(self.script("run.sh", "--suite", "nonsense").returncode, 2)
        self.assertEqual(len(self.figures()), 1)

    def test_a_failed_figure_is_not_a_success(self) -> None:
        drawing = "[[ $1 != plot ]] || exit 2; "
        self.highwater(drawing + self.WRITES.format("results/runs"))
        self.assertEqual(self.script("run.sh").returncode, 1)
        self.highwater(drawing + self.WRITES.format("results/runs") + "; exit 5")
        self.assertEqual(self.script("run.sh").returncode, 5)

    def test_a_failed_build_says_why_and_runs_nothing(self) -> None:
        self.stand_in("cmake", "echo the compiler says no; exit 1")
        done = self.script("run.sh")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the compiler says no", done.stderr)


if __name__ == "__main__":
    unittest.main()
