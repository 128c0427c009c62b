#!/usr/bin/env python3
"""Puts the trade-off tables of the published records into README.md, or with --check says whether they are there.

    scripts/readme_table.py build/bin/highwater [--check]

The tables are the program's own Markdown; this only cuts them out and pastes them between the markers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDS = "results/published/default.jsonl"
BEGIN, END = "<!-- table:begin -->\n", "<!-- table:end -->\n"
SECTION = "## Techniques, model by model\n"


def simulated_tables(program: str) -> str:
    """The tables of simulated devices; those of the CPU twins are in the report itself."""
    report = subprocess.run([program, "report", RECORDS, "--format", "markdown"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    section = report.split(SECTION, 1)[1].split("\n## ", 1)[0].strip()
    tables = ["###" + table for table in ("\n" + section).split("\n###") if " sim:" in table.split("\n", 1)[0]]
    if not tables:
        raise SystemExit(f"{RECORDS} holds no simulated device; measure with scripts/run.sh and copy its records there")
    return "\n".join(table.rstrip() + "\n" for table in tables)


def main(arguments: list[str]) -> int:
    program = os.path.abspath(arguments[0])
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    wanted = before + BEGIN + "\n" + simulated_tables(program) + "\n" + END + after
    if "--check" in arguments:
        if text == wanted:
            return 0
        print(f"README.md does not show {RECORDS}; run scripts/readme_table.py {arguments[0]}", file=sys.stderr)
        return 1
    temporary = readme.with_suffix(".new")
    temporary.write_text(wanted)
    temporary.replace(readme)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
