#!/usr/bin/env python3
"""Run a command over the recorded allocator traces, which are kept outside the project.

    with_traces.py FOLDER COMMAND...

Unpacks every FOLDER/kk_*.events.tsv.gz and the table of segments beside it into a temporary folder. A
command with "{trace}" in its words runs once a trace, with the path of its tables up to
".events.tsv" in that place; any other runs once, with HIGHWATER_TRACES naming the folder. Exits with 1
if a command failed, 77 (skipped) if there are no traces.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def unpack(folder: Path, target: Path) -> list[Path]:
    """The unpacked traces, as paths without their suffixes."""
    traces = []
    for packed in sorted(folder.glob("kk_*.events.tsv.gz")):
        stem = packed.name.removesuffix(".events.tsv.gz")
        for table in ("events", "segments"):
            name = f"{stem}.{table}.tsv"
            with gzip.open(folder / f"{name}.gz") as source, open(target / name, "wb") as copy:
                shutil.copyfileobj(source, copy)
        traces.append(target / stem)
    return traces


def commands(words: list[str], traces: list[Path]) -> list[list[str]]:
    if not any("{trace}" in word for word in words):
        return [words]
    return [[word.replace("{trace}", str(trace)) for word in words] for trace in traces]


def main(folder: str, *words: str) -> int:
    with tempfile.TemporaryDirectory() as target:
        traces = unpack(Path(folder), Path(target))
        if not traces:
            print(f"skipped: {folder} holds no recorded traces (kk_*.events.tsv.gz)")
            return SKIPPED
        environment = os.environ | {"HIGHWATER_TRACES": target}
        failed = [command for command in commands(list(words), traces)
                  if subprocess.run(command, env=environment, check=False).returncode != 0]
    for command in failed:
        print("failed:", *command, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
