#!/usr/bin/env python3
"""Puts the example into docs/inspect.md, or with --check says whether it is there.

    scripts/inspect_doc.py build/bin/highwater [--check]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "inspect.md"
COMMAND = ["inspect", "gpt2-small", "set_to_none", "--device", "sim:h200", "--depth", "1"]
BEGIN, END = "<!-- example:begin -->\n", "<!-- example:end -->\n"


def example(program: str) -> str:
    result = subprocess.run([os.path.abspath(program), *COMMAND], check=True, capture_output=True, text=True)
    return f"```\n$ highwater {' '.join(COMMAND)}\n{result.stdout}```\n"


def main(arguments: list[str]) -> int:
    text = DOCUMENT.read_text()
    before, rest = text.split(BEGIN, 1)
    wanted = before + BEGIN + example(arguments[0]) + END + rest.split(END, 1)[1]
    if "--check" in arguments:
        if text == wanted:
            return 0
        print(f"docs/inspect.md shows another example; run scripts/inspect_doc.py {arguments[0]}", file=sys.stderr)
        return 1
    temporary = DOCUMENT.with_suffix(".new")
    temporary.write_text(wanted)
    temporary.replace(DOCUMENT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
