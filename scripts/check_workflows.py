#!/usr/bin/env python3
"""Checks what actionlint and zizmor leave open in .github: what this repository asks of every workflow and action.

    check_workflows.py [REPOSITORY]

- the gate job of ci.yml needs every other job, and runs whatever became of them
- every action is pinned by a full hash, with its version beside it
- each workflow says its permissions at the top, and gives none there
- no expression stands in a script: what a stranger may have named goes through the environment
- where a stranger's run starts a privileged one, no checkout says which commit

Prints file: rule for each violation and exits 1 if there was one. Needs PyYAML.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
OWN = re.compile(r"(?:\$|\.)/[\w./-]+")  # this repository's, at this commit
VERSION_BESIDE = re.compile(r"uses: *[\"']?\S+@[0-9a-f]{40}[\"']? +# v\d+(?:\.\d+)*$")
PRIVILEGED = {"workflow_run", "pull_request_target"}
GATE = "gate"


def steps_of(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in document.get("jobs", {}).values():
        yield job  # a job may itself say uses
        yield from job.get("steps", [])
    yield from document.get("runs", {}).get("steps", [])


def unpinned(document: dict[str, Any]) -> Iterator[str]:
    for step in steps_of(document):
        name = step.get("uses")
        if name is not None and not PINNED.fullmatch(name) and not OWN.fullmatch(name):
            yield f"{name} is not pinned; name the full hash of a commit"


def versionless(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if re.search(r"\buses:.*@", line) and not line.lstrip().startswith("#") and not VERSION_BESIDE.search(line):
            yield f"{line.strip()}: say the version beside the hash, as in '# v1.2.3'"


def expressions_in_scripts(document: dict[str, Any]) -> Iterator[str]:
    for step in steps_of(document):
        for script in (step.get("run"), step.get("with", {}).get("script")):
            if script and "${{" in script:
                yield f"the script of '{step.get('name', script[:40])}' holds an expression; give it in env"


def open_at_the_top(document: dict[str, Any]) -> Iterator[str]:
    if document.get("permissions", "none said") != {}:
        yield "permissions: {} must stand at the top; each job says what it needs"


def triggers(document: dict[str, Any]) -> set[str]:
    said = {str(key): value for key, value in document.items()}.get("True")  # YAML 1.1 reads the key `on` as true
    return {said} if isinstance(said, str) else set(said or ())


def checkouts_of_strangers(document: dict[str, Any]) -> Iterator[str]:
    if not triggers(document) & PRIVILEGED:
        return
    for step in steps_of(document):
        chosen = {"ref", "repository"} & step.get("with", {}).keys()
        if str(step.get("uses", "")).startswith("actions/checkout@") and chosen:
            yield f"a privileged workflow checks out a {' and '.join(sorted(chosen))}; take the base branch"


def forgotten_jobs(document: dict[str, Any]) -> Iterator[str]:
    jobs = document.get("jobs", {})
    gate = jobs.get(GATE, {})
    needs = gate.get("needs", [])
    needed = {needs} if isinstance(needs, str) else set(needs)
    for job in sorted(jobs.keys() - {GATE} - needed):
        yield f"job {job} is not in the needs of job {GATE}, so that its failure would not count"
    if GATE not in jobs:
        yield f"there is no job {GATE} that needs all others"
    elif gate.get("if") != "${{ always() }}":
        yield f"job {GATE} must say if: ${{{{ always() }}}}; a skipped check counts as passed"


def problems_of(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    yield from unpinned(document)
    yield from versionless(text)
    yield from expressions_in_scripts(document)
    if path.parent.name == "workflows":
        yield from open_at_the_top(document)
        yield from checkouts_of_strangers(document)
    if path.name == "ci.yml":
        yield from forgotten_jobs(document)


def files_of(root: Path) -> list[Path]:
    return sorted(path for path in (root / ".github").rglob("*.y*ml")
                  if path.parent.name == "workflows" or path.stem == "action")


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    files = files_of(root)
    if root / ".github" / "workflows" / "ci.yml" not in files:
        print(f"{root}: no .github/workflows/ci.yml, so nothing was checked", file=sys.stderr)
        return 2
    problems = [f"{path.relative_to(root)}: {problem}" for path in files for problem in problems_of(path)]
    print("\n".join(problems) if problems else f"workflows: {len(files)} files, no violation")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
