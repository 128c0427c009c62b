"""Each rule of check_workflows.py fires on a planted violation, and this repository breaks none."""

import re
import sys
import unittest

from support import REPOSITORY, SCRIPTS, FolderTest

try:
    import yaml  # noqa: F401
except ImportError:
    if __name__ != "__main__":
        raise unittest.SkipTest("this Python has no PyYAML") from None
    print("skipped: this Python has no PyYAML; run scripts/setup.sh")
    sys.exit(77)

import check_workflows

HASH = "a" * 40
CI = f"""name: ci
on: [push, pull_request]
permissions: {{}}
jobs:
  lint:
    steps:
      - uses: actions/checkout@{HASH} # v7.0.1
      - uses: $/.github/actions/measure
      - name: Say
        env:
          TITLE: ${{{{ github.event.pull_request.title }}}}
        run: echo "$TITLE"
  test:
    steps: []
  gate:
    if: ${{{{ always() }}}}
    needs: [lint, test]
"""


class CheckWorkflows(FolderTest):
    def problems(self, text: str, name: str = "workflows/ci.yml") -> list[str]:
        return list(check_workflows.problems_of(self.write(f".github/{name}", text)))

    def assert_found(self, old: str, new: str, *words: str, base: str = CI, name: str = "workflows/ci.yml") -> None:
        self.assertIn(old, base)
        self.assertEqual(self.problems(base, name), [])
        found = self.problems(base.replace(old, new), name)
        self.assertEqual(len(found), len(words), found)
        for problem, word in zip(found, words, strict=True):
            self.assertIn(word, problem)

    def test_this_repository_breaks_no_rule(self) -> None:
        files = check_workflows.files_of(REPOSITORY)
        self.assertIn(REPOSITORY / ".github/actions/measure/action.yml", files)
        for path in files:
            self.assertEqual(list(check_workflows.problems_of(path)), [], path)

    def test_a_job_that_the_gate_does_not_need_is_found(self) -> None:
        self.assert_found("needs: [lint, test]", "needs: lint", "job test is not in the needs")

    def test_a_gate_that_can_be_skipped_is_found(self) -> None:
        self.assert_found("    if: ${{ always() }}\n", "", "a skipped check counts as passed")

    def test_a_missing_gate_is_found(self) -> None:
        self.assert_found("  gate:\n", "  last:\n", "job last", "job lint", "job test", "there is no job gate")

    def test_an_action_without_a_full_hash_is_found(self) -> None:
        for name in ("v7", "main", "a" * 39, "a" * 41, "A" * 40):
            with self.subTest(name):
                self.assert_found(HASH, name, "is not pinned", "say the version")
        self.assert_found("$/.github/actions/measure", "docker://alpine", "is not pinned")

    def test_an_action_of_a_composite_action_is_held_too(self) -> None:
        action = f"name: a\nruns:\n  using: composite\n  steps:\n    - uses: actions/cache@{HASH} # v5\n"
        self.assert_found(f"@{HASH} # v5", "@v5", "is not pinned", "say the version", base=action, name="actions/a/action.yml")

    def test_a_called_workflow_is_held_too(self) -> None:
        self.assert_found("    steps: []\n", "    uses: owner/x/.github/workflows/a.yml@main\n", "is not pinned", "say the version")

    def test_a_hash_without_its_version_is_found(self) -> None:
        self.assert_found(" # v7.0.1", "", "say the version")

    def test_permissions_at_the_top_are_asked_for(self) -> None:
        for text in ("", "permissions: read-all\n", "permissions:\n  contents: read\n"):
            with self.subTest(text):
                self.assert_found("permissions: {}\n", text, "must stand at the top")

    def test_an_expression_in_a_script_is_found(self) -> None:
        expression = "${{ github.event.pull_request.title }}"
        self.assert_found('"$TITLE"', expression, "'Say' holds an expression")
        self.assert_found('run: echo "$TITLE"', f"with: {{script: '{expression}'}}", "'Say' holds an expression")

    def test_a_privileged_checkout_of_a_stranger_is_found(self) -> None:
        for trigger in ("\n  workflow_run:\n    workflows: [ci]", " pull_request_target", " [push, pull_request_target]"):
            base = CI.replace("on: [push, pull_request]", f"on:{trigger}")
            for key in ("ref", "repository"):
                with self.subTest(trigger=trigger, key=key):
                    chosen = f"# v7.0.1\n        with: {{{key}: '${{{{ github.event.workflow_run.head_sha }}}}'}}"
                    self.assert_found("# v7.0.1", chosen, f"checks out a {key}", base=base)
                    self.assertEqual(self.problems(CI.replace("# v7.0.1", chosen)), [])

    def test_the_document_names_the_inputs_of_the_action_and_of_the_workflow(self) -> None:
        action = yaml.safe_load((REPOSITORY / ".github/actions/measure/action.yml").read_text())["inputs"]
        called = yaml.safe_load((REPOSITORY / ".github/workflows/measure.yml").read_text())[True]["workflow_call"]["inputs"]
        table = (REPOSITORY / "docs/github.md").read_text().split("| input |")[1].split("\n\n")[0]
        documented = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        self.assertEqual([*called], documented)
        self.assertEqual([*action], [*documented, "artifact"])
        for name in called:
            self.assertEqual(called[name]["default"], action[name]["default"])

    def test_exit_codes(self) -> None:
        command = (sys.executable, "-B", SCRIPTS / "check_workflows.py", self.folder)
        self.assertEqual(self.run_command(*command).returncode, 2)
        self.write(".github/workflows/ci.yml", CI)
        self.assertEqual(self.run_command(*command).returncode, 0)
        self.write(".github/workflows/b.yaml", "name: b\njobs: {}\n")
        done = self.run_command(*command)
        self.assertEqual(done.returncode, 1)
        self.assertIn(".github/workflows/b.yaml: permissions", done.stdout)


if __name__ == "__main__":
    unittest.main()
