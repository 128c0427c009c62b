"""An installation that was moved, without the sources: what it holds, and what other people's projects do with it.

    test_installed.py BUILD_FOLDER TORCH_DIR CUDA_INCLUDE_DIR
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import walk

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples" / "own-project"
BUDGET = "PEAK 1GiB"

# Other people's projects have none of these.
OWN_VARIABLES = ("HIGHWATER_TORCH_DIR", "HIGHWATER_CUDA_INCLUDE_DIR", "HIGHWATER_PYTHON", "HIGHWATER_PLUGINS")

SHIPPED = """
cmake_minimum_required(VERSION 3.25)
project(shipped CXX)
enable_testing()
find_package(Highwater REQUIRED)
highwater_add_suite(shipped SUITE default DEVICES sim:h200 BASELINES ${HIGHWATER_BASELINES} EACH_CELL)
"""

CPP_PROGRAM = """
cmake_minimum_required(VERSION 3.25)
project(cpp CXX)
enable_testing()
find_package(Highwater REQUIRED)
add_subdirectory(${MNIST} mnist)
highwater_add_budget(keeps COMMAND mnist DEVICE sim:rtx-4090 PEAK 1GiB EXEC_FLAGS --cudnn ${CUDNN})
highwater_add_budget(exceeds COMMAND mnist DEVICE sim:rtx-4090 PEAK 1MiB EXEC_FLAGS --cudnn ${CUDNN})
highwater_add_budget(fails COMMAND false DEVICE sim:rtx-4090 PEAK 1GiB EXEC_FLAGS --torch ${TORCH_DIR})
"""

build_folder = torch = cuda_include = ""


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}


def run(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], env=environment() | more, capture_output=True, text=True,
                          timeout=1500)


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


class Installed(unittest.TestCase):
    """One installation for all tests, moved after it was made."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="highwater-installed-")
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        done = run("cmake", "--install", build_folder, "--prefix", cls.root / "first")
        if done.returncode != 0:
            raise RuntimeError(output_of(done))
        # A blank and a letter beyond ASCII: people's folders have them.
        cls.prefix = (cls.root / "first").rename(cls.root / "zweites Zuhause für alles")

    def succeed(self, *words: object, **more: str) -> str:
        done = run(*words, **more)
        self.assertEqual(done.returncode, 0, output_of(done))
        return done.stdout

    def project(self, name: str, source: Path | str, *definitions: object) -> Path:
        """The build folder of a configured and built project: of its folder, or of one CMakeLists.txt."""
        if isinstance(source, str):
            text, source = source, self.root / name
            source.mkdir()
            (source / "CMakeLists.txt").write_text(text)
        build = self.root / f"{name}-build"
        self.succeed("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}", *definitions)
        self.succeed("cmake", "--build", build)
        return build

    def ctest(self, build: Path, *arguments: object, **more: str) -> tuple[set[str], str]:
        """The names of the tests that failed, and the output."""
        done = run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", *arguments, **more)
        failed = done.stdout.partition("The following tests FAILED:")[2]
        names = {line.split(" - ")[1].split(" (")[0] for line in failed.splitlines() if " - " in line}
        self.assertEqual(done.returncode == 0, not names, output_of(done))
        return names, done.stdout

    def test_names_neither_the_sources_nor_the_build(self) -> None:
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 150)
        for path in files:
            content = path.read_bytes()
            for folder in (str(REPOSITORY), str(build_folder), str(self.root)):
                self.assertNotIn(folder.encode(), content, path)
            self.assertFalse(path.is_symlink(), path)

    def test_measures_the_bytes_of_the_baselines_that_it_ships(self) -> None:
        failed, text = self.ctest(self.project("shipped", SHIPPED))
        self.assertEqual(failed, set(), text)
        self.assertIn("cell.gpt2-small/full/activation_checkpointing/sim:h200", text)

    def own_project(self, name: str, *replacements: tuple[str, str, str]) -> Path:
        """A copy of the example, with texts of its files replaced."""
        folder = self.root / name
        shutil.copytree(EXAMPLE, folder)
        for file, old, new in replacements:
            text = (folder / file).read_text()
            self.assertIn(old, text)
            (folder / file).write_text(text.replace(old, new))
        return self.project(name, folder, f"-DTRAINING_PYTHON={self.python_with_torch()}")

    def python_with_torch(self) -> str:
        return self.succeed(sys.executable, REPOSITORY / "scripts" / "install_python_torch.py", "2.11.0").strip()

    def test_a_project_of_your_own_is_green_by_cell_and_by_technique(self) -> None:
        build = self.own_project("own")
        failed, text = self.ctest(build)
        self.assertEqual(failed, set(), text)
        self.assertIn("train.fits_on_a_4090", text)
        failed, text = self.ctest(build, "-L", "technique:team_recipe")
        self.assertEqual(failed, set(), text)
        self.assertIn("cell.gated-mlp/twin/team_recipe/cpu", text)
        self.assertNotIn("cell.gated-mlp/twin/baseline/cpu", text)
        self.dashboard_gets_the_peak(build)

    def dashboard_gets_the_peak(self, build: Path) -> None:
        self.ctest(build, "-T", "Test", "-R", "cell.gated-mlp/full/baseline", HIGHWATER_DASHBOARD="1")
        (report,) = build.glob("Testing/*/Test.xml")
        measured = {found.get("name"): found.findtext("Value") for found in xml.parse(report).iter("NamedMeasurement")}
        baselines = (EXAMPLE / "results" / "baselines").glob("sim-*/own.jsonl")
        self.assertIn(f'"metric":"peak_allocated_bytes","value":{measured["peak_allocated_bytes"]},',
                      next(baselines).read_text())

    def test_a_project_of_your_own_is_red_where_it_grew(self) -> None:
        build = self.own_project("grown", ("CMakeLists.txt", BUDGET, "PEAK 980MiB"),
                                 ("team_recipe.cpp", "plan.segment_wrap = std::make_shared<Checkpoint>();", ""))
        failed, text = self.ctest(build)
        self.assertEqual(failed, {"gate.own", "train.fits_on_a_4090", "cell.gated-mlp/full/team_recipe/sim:h100-sxm",
                                  "cell.gated-mlp/twin/team_recipe/cpu"}, text)
        self.assertIn("team_recipe promises to save at least", text)
        self.assertRegex(text, r"budget of 980\.0 MiB .*: exceeded by ")

    def test_a_cpp_program_gets_a_budget(self) -> None:
        cudnn = self.succeed(REPOSITORY / "scripts" / "install_cudnn.sh").strip()
        build = self.project("cpp", CPP_PROGRAM, f"-DMNIST={REPOSITORY / 'examples' / 'mnist'}", f"-DCUDNN={cudnn}",
                             f"-DTORCH_DIR={torch}", f"-DCUDA_INCLUDE_DIR={cuda_include}")
        failed, text = self.ctest(build)
        self.assertEqual(failed, {"exceeds", "fails"}, text)
        self.assertIn("not judged, the program ended with status 1", text)

    def test_the_walk_of_the_document_guards_a_model(self) -> None:
        text = walk.section(REPOSITORY / "docs" / "gate.md", "In your own project, in ten minutes")
        folder = self.root / "walk"
        folder.mkdir()
        self.assertEqual(set(files := walk.files(text)), {"train.py", "CMakeLists.txt"})
        for name, content in files.items():
            (folder / name).write_text(content)
        path = f"{self.prefix / 'bin'}:{Path(self.python_with_torch()).parent}:{os.environ['PATH']}"
        steps = walk.steps(text)
        self.assertEqual([step.fails for step in steps], [False, False, True])
        for step in steps:
            done = run("sh", "-ec", f"cd {folder}; {step.commands}", PATH=path)
            self.assertEqual(done.returncode != 0, step.fails, step.commands + output_of(done))
        self.assertRegex(done.stdout, r"budget of 192\.0 MiB .*: exceeded by .*, process \d+ allocated")

    def test_wrong_calls_stop_the_configuration(self) -> None:
        calls = {"highwater_add_budget(b DEVICE sim:h200 PEAK 1GiB)": "COMMAND is missing",
                 "highwater_add_budget(b COMMAND c DEVICE sim:h200 PEAK 1GiB PEEK 2)": "PEEK",
                 "highwater_add_suite(s SUITE default)": "DEVICES is missing",
                 "set(HIGHWATER_TORCH_DIR /nowhere)\nhighwater_add_plugin(p p.cpp)": '"/nowhere", which is no folder'}
        for number, (call, message) in enumerate(calls.items()):
            source = self.root / f"wrong-{number}"
            source.mkdir()
            (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(wrong NONE)\n"
                                                   f"enable_testing()\nfind_package(Highwater REQUIRED)\n{call}\n")
            done = run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
            self.assertNotEqual(done.returncode, 0, call)
            self.assertIn(message, output_of(done), call)


if __name__ == "__main__":
    build_folder, torch, cuda_include = (str(Path(word).resolve()) for word in sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
