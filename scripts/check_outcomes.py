#!/usr/bin/env python3
"""Says which cells of a run were neither measured nor skipped, and exits with 1 if there is one.

    scripts/check_outcomes.py RUN        # a run folder

What suite full is run for on the cpu: whether every technique still trains every model as it says. The bytes of twins
are in no baseline, and some promises of techniques mean nothing at their size.
"""

from __future__ import annotations

import sys
from pathlib import Path

from records import RecordsError, read_records

EXPECTED = ("measured", "skipped")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        rows = read_records(Path(arguments[0]) / "records.jsonl").rows
    except RecordsError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 2
    wrong = [row for row in rows if row.outcome not in EXPECTED]
    for row in wrong:
        print(f"{row.outcome}: {row.cell}: {row.reason}")
    print(f"{len(rows)} cells, {len(wrong)} of them wrong")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
