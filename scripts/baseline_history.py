"""When and why baseline rows moved: out of git, or out of a file that was kept (schema highwater.history/1)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from records import PEAK, RecordsError, parse_object

SCHEMA = "highwater.history/1"


@dataclass(frozen=True)
class Move:
    """One commit's accepted change of a cell's peak; no `before` where the row is new."""

    commit: str
    date: str
    suite: str
    testbed: str
    cell: str
    before: int | None
    after: int
    reason: str


def git_log(baselines: Path, suite: str) -> str:
    command = ["git", "--no-pager", "-c", "core.quotePath=false", "-C", str(baselines), "log", "--reverse", "--no-color", "--no-ext-diff",
               "--no-textconv", "--no-renames", "--patch", "--unified=0", "--relative", "--format=commit %h %cs", "--abbrev=7", "--",
               f":(glob)*/{suite}.jsonl"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise RecordsError(f"the history of {baselines} needs git, which could not be started: {error}") from error
    if result.returncode:
        raise RecordsError(f"git log of {baselines} failed: {result.stderr.strip()}")
    return result.stdout


def row_of(line: str) -> dict[str, object] | None:
    """Of a diff's line; None where that holds no row, because history cannot be mended."""
    try:
        row = json.loads(line[1:])
    except json.JSONDecodeError:
        return None
    return row if isinstance(row, dict) and row.get("metric") == PEAK and type(row.get("value")) is int else None


def moves_of(log: str, suite: str) -> Iterator[Move]:
    """A row that was only rewritten did not move."""
    commit = date = testbed = ""
    gone: dict[str, int] = {}
    for line in log.splitlines():
        if line.startswith("commit "):
            _, commit, date = line.split()
        elif line.startswith("diff --git "):
            gone = {}
            testbed = line.split(" b/", 1)[1].split("/")[-2]
        elif line.startswith(("-{", "+{")) and (row := row_of(line)):
            cell, value = str(row["cell"]), int(str(row["value"]))
            if line[0] == "-":
                gone[cell] = value
            elif gone.get(cell) != value:
                yield Move(commit, date, suite, testbed, cell, gone.get(cell), value, str(row.get("reason", "")))


def history_of(baselines: Path, suite: str) -> tuple[Move, ...]:
    """All accepted moves of a suite, oldest first."""
    return tuple(moves_of(git_log(baselines, suite), suite))


def write_history(moves: tuple[Move, ...], path: Path) -> None:
    lines = [json.dumps({"schema": SCHEMA}), *(json.dumps(asdict(move), ensure_ascii=False) for move in moves)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_history(path: Path) -> tuple[Move, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RecordsError(f"{path}: cannot be read: {error}") from error
    rows = [parse_object(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
    if not rows or rows[0].get("schema") != SCHEMA:
        raise RecordsError(f"{path}:1: this is no {SCHEMA}")
    try:
        return tuple(Move(**row) for row in rows[1:])
    except TypeError as error:
        raise RecordsError(f"{path}: a move has other fields: {error}") from error
