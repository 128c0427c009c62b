"""Reads a step out of what `highwater capture` wrote."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from records import RecordsError

# Where a block was born says what it is, as far as a stream of events can tell: (name, from an earlier step, phase).
BIRTHS = ("before the first step: parameters, batch", "optimizer of an earlier step: its state",
          "backward of an earlier step: gradients, workspaces", "forward of an earlier step", "forward of this step",
          "backward of this step", "optimizer of this step", "elsewhere in this step")
PLACES = {(True, "optimizer"): 1, (True, "backward"): 2, (True, "forward"): 3, (False, "forward"): 4, (False, "backward"): 5,
          (False, "optimizer"): 6}


@dataclass(frozen=True)
class Step:
    """The last step of a stream: after each event, the requested bytes alive by birth."""

    alive: list[list[int]]  # BIRTHS x (events + 1): the first one before the step
    phases: list[tuple[str, int, int]]  # name, first event, behind the last

    def totals(self) -> list[int]:
        return [sum(column) for column in zip(*self.alive)]

    def peak(self) -> tuple[int, int]:
        """Where, and how much: the first highest moment."""
        totals = self.totals()
        highest = max(totals)
        return totals.index(highest), highest


def read_events(path: Path) -> Iterator[dict[str, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise RecordsError(f"{path}: cannot be read: {error}") from error


def birth_of(event: dict[str, str], last: int) -> int:
    step = int(event["step"])
    return 0 if step == 0 else PLACES.get((step < last, event["phase"]), 3 if step < last else 7)


def last_step(path: Path) -> Step:
    try:
        return replay(list(read_events(path)))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordsError(f"{path}: not a stream of allocator events with steps and phases ({error!r}); capture it anew") from error


def replay(events: list[dict[str, str]]) -> Step:
    last = max(int(event["step"]) for event in events)
    now, births = [0] * len(BIRTHS), {}
    alive: list[list[int]] = []
    phases: list[tuple[str, int, int]] = []
    for event in events:
        inside = int(event["step"]) == last
        if inside and not alive:
            alive.append(list(now))
        if event["action"] == "alloc":
            births[event["addr"]] = kind = birth_of(event, last)
            now[kind] += int(event["size"])
        elif event["action"] == "free_requested":
            now[births.pop(event["addr"])] -= int(event["size"])
        else:
            continue
        if inside:
            alive.append(list(now))
            at = len(alive) - 1
            if phases and phases[-1][0] == event["phase"]:
                phases[-1] = (event["phase"], phases[-1][1], at)
            else:
                phases.append((event["phase"], at - 1, at))
    if not alive:
        raise ValueError("no event in any step")
    return Step([list(row) for row in zip(*alive)], phases)


def capture_cells(folder: Path) -> dict[str, Path]:
    """cell id -> its stream."""
    path = folder / "capture.json"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return {name: folder / cell["events"] for name, cell in cells.items() if "events" in cell}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordsError(f"{path}: not what `highwater capture` writes: {error}") from error
