"""One folder per torch and Python, whole or made again, and every package held against a hash."""

import io
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from support import FolderTest

import install_python_torch as script


class InstallPythonTorch(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        environment = mock.patch.dict("os.environ", {"HIGHWATER_CACHE": str(self.folder)})
        environment.start()
        self.addCleanup(environment.stop)

    def prepare(self, fails: bool = False) -> tuple[int, str, list[str]]:
        commands: list[str] = []

        def run(*command: object, scratch: Path) -> None:
            commands.append(" ".join(str(word) for word in command))
            if fails:
                raise script.InstallError("no network")

        out = io.StringIO()
        with mock.patch.object(script, "run", run), redirect_stdout(out), redirect_stderr(io.StringIO()):
            return script.main(["2.6.0"]), out.getvalue().strip(), commands

    def test_the_interpreter_is_printed_and_the_second_call_installs_nothing(self) -> None:
        code, first, commands = self.prepare()
        self.assertEqual((code, len(commands)), (0, 2))
        self.assertTrue(first.startswith(f"{self.folder}/python-torch-2.6.0-") and first.endswith("/bin/python"), first)
        self.assertEqual(self.prepare(), (0, first, []))

    def test_what_failed_half_way_is_made_again(self) -> None:
        self.assertEqual(self.prepare(fails=True)[0], 1)
        self.assertEqual(len(self.prepare()[2]), 2)

    def test_an_unknown_version_is_refused_with_those_there_are(self) -> None:
        error = io.StringIO()
        with redirect_stderr(error):
            self.assertEqual(script.main(["1.0.0"]), 2)
        self.assertIn("2.6.0", error.getvalue())

    def test_other_pins_get_another_folder(self) -> None:
        pins = self.folder / "pins"
        pins.mkdir()
        for name in ("common", "2.6.0"):
            (pins / f"{name}.txt").write_text("a==1\n")
        with mock.patch.object(script, "PINS", pins):
            before = script.folder_for("2.6.0")
            (pins / "common.txt").write_text("a==2\n")
            self.assertNotEqual(before, script.folder_for("2.6.0"))

    def test_every_package_is_held_against_a_hash_and_none_is_of_nvidia(self) -> None:
        self.assertIn("2.6.0", script.versions())
        for path in script.PINS.glob("*.txt"):
            for line in path.read_text().splitlines():
                with self.subTest(path=path.name, line=line):
                    self.assertRegex(line, r"^(#.*|-r common\.txt|[a-z0-9-]+==[0-9.]+( --hash=sha256:[0-9a-f]{64})+)$")
                    self.assertNotRegex(line, "^(nvidia|triton)")


if __name__ == "__main__":
    unittest.main()
