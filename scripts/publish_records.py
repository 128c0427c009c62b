#!/usr/bin/env python3
"""Copies a run's records to results/published, from which the documents are generated.

    scripts/publish_records.py [RUN]        # a run folder; default: results/runs/latest

The file is named after the run's suite. What the peaks are made of stays behind: baselines hold it, documents do not
show it, and it is most of the bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from records import RecordsError, read_records

ROOT = Path(__file__).resolve().parent.parent


def without_profile(line: str) -> str:
    row = json.loads(line)
    if "profile" in row:
        row["profile"] = {}
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False)


def main(arguments: list[str]) -> int:
    run = Path(arguments[0] if arguments else ROOT / "results" / "runs" / "latest")
    source = run / "records.jsonl"
    try:
        read_records(source)  # nothing damaged is published
    except RecordsError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 2
    lines = source.read_text().splitlines()
    target = ROOT / "results" / "published" / f"{json.loads(lines[0])['suite']}.jsonl"
    temporary = target.with_suffix(".new")
    temporary.write_text("\n".join(map(without_profile, lines)) + "\n")
    temporary.replace(target)
    print(target.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
