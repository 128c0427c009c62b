#!/usr/bin/env python3
"""Copies records to results/published, from which the documents are generated.

    scripts/publish_records.py [RUN]                   # a run folder; default: results/runs/latest
    scripts/publish_records.py --as NAME RUN RUN...    # several runs of one suite as one file
    scripts/publish_records.py --capture FOLDER        # a step of each cell that `highwater capture` wrote down
    scripts/publish_records.py --history SUITE         # when and why a suite's baselines moved, out of git

A file of records is named after its suite, unless --as says otherwise. What the peaks are made of stays behind: baselines hold it,
documents do not show it, and it is most of the bytes. Of a capture the last step stays, and the births of what lives when it begins.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

from baseline_history import history_of, write_history
from step_events import capture_cells, read_events
from records import RecordsError, read_merged

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "results" / "published"
COLUMNS = ("action", "addr", "size", "stream", "where", "module", "phase", "step")


def without_profile(line: str) -> str:
    row = json.loads(line)
    if "profile" in row:
        row["profile"] = {}
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False)


def merged_header(headers: list[dict[str, Any]]) -> str:
    """The first one's, with the cells and testbeds of all."""
    header = headers[0]
    for other in headers[1:]:
        header["testbed"] |= other["testbed"]
        header["settings"]["planned_cells"] += other["settings"]["planned_cells"]
    return json.dumps(header, separators=(",", ":"), ensure_ascii=False)


def replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(target.name + ".new")
    temporary.write_bytes(data)
    temporary.replace(target)
    print(target.relative_to(ROOT))


def publish_runs(runs: list[Path], name: str | None) -> None:
    files = [run / "records.jsonl" for run in runs]
    read_merged(files)  # nothing damaged is published
    lines = [file.read_text().splitlines() for file in files]
    headers = [json.loads(text[0]) for text in lines]
    rows = [without_profile(line) for text in lines for line in text[1:]]
    replace(PUBLISHED / f"{name or headers[0]['suite']}.jsonl", "\n".join([merged_header(headers), *rows, ""]).encode())


def last_step_lines(path: Path) -> list[str]:
    events = list(read_events(path))
    last = max(int(event["step"]) for event in events)
    alive = {}
    for event in events:
        if int(event["step"]) == last:
            break
        if event["action"] == "alloc":
            alive[event["addr"]] = event
        elif event["action"] == "free_requested":
            alive.pop(event["addr"], None)
    kept = [*alive.values(), *(event for event in events if int(event["step"]) == last)]
    return ["\t".join(COLUMNS), *("\t".join(event[column] for column in COLUMNS) for event in kept)]


def publish_capture(folder: Path) -> None:
    cells = {}
    for cell, path in capture_cells(folder).items():
        cells[cell] = {"events": f"events/{path.stem}.tsv.gz"}
        text = "\n".join([*last_step_lines(path), ""])
        replace(PUBLISHED / "steps" / cells[cell]["events"], gzip.compress(text.encode(), mtime=0))
    replace(PUBLISHED / "steps" / "capture.json", (json.dumps({"cells": cells}, indent=1) + "\n").encode())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Copies records to results/published.")
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--as", dest="name")
    parser.add_argument("--capture", type=Path)
    parser.add_argument("--history", metavar="SUITE")
    options = parser.parse_args(arguments)
    try:
        if options.capture:
            publish_capture(options.capture)
        elif options.history:
            write_history(history_of(ROOT / "results" / "baselines", options.history), PUBLISHED / "history.jsonl")
        else:
            publish_runs(options.runs or [ROOT / "results" / "runs" / "latest"], options.name)
    except RecordsError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
