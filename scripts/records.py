"""Read a run's records: a header line, then one line per cell (schema highwater.records/3)."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = "highwater.records/3"
PEAK = "peak_allocated_bytes"
PART_PREFIX, PART_SUFFIX = "at_peak_", "_bytes"


class RecordsError(Exception):
    """The records cannot be used; the text names file and line."""


@dataclass(frozen=True)
class Row:
    cell: str
    model: str
    preset: str
    technique: str
    device: str
    outcome: str
    reason: str
    certainty: str | None
    metrics: dict[str, int]
    high: dict[str, int]
    attributes: dict[str, Any]
    promises: list[dict[str, Any]] = field(default_factory=list)

    def peak_ends(self) -> tuple[int, int]:
        """The peak with the lowest sizes that only a real device knows, and with the highest."""
        low = self.metrics[PEAK]
        return low, self.high.get(PEAK, low)

    def settings(self) -> str:
        """What the cell's id says beyond model/preset/technique/device, e.g. "batch=16"."""
        return ", ".join(self.cell.split("/")[4:])

    def parts(self) -> dict[str, int]:
        """What the peak was made of, by category; all of it unattributed where no part was recorded."""
        found = {key[len(PART_PREFIX):-len(PART_SUFFIX)]: value for key, value in self.metrics.items()
                 if key.startswith(PART_PREFIX) and key.endswith(PART_SUFFIX)}
        return found or {"unattributed": self.metrics[PEAK]}


@dataclass(frozen=True)
class Records:
    header: dict[str, Any]
    rows: list[Row]

    def devices(self) -> list[str]:
        return list(dict.fromkeys(row.device for row in self.rows))

    def facts(self, device: str) -> dict[str, Any]:
        return dict(self.header.get("testbed", {}).get(device, {}).get("facts", {}))


def parse_object(line: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordsError(f"{place}: not JSON ({error.msg})") from error
    if not isinstance(value, dict):
        raise RecordsError(f"{place}: a record is a JSON object, but this is {line[:40]!r}")
    return value


def check_metrics(row: Row, place: str) -> None:
    for key, value in [*row.metrics.items(), *row.high.items()]:
        if type(value) is not int:
            raise RecordsError(f"{place}: metric {key} of {row.cell} is {value!r}, not an integer")
    if row.outcome != "measured":
        return
    if (row.certainty == "bounded") != bool(row.high):
        raise RecordsError(f"{place}: the certainty of {row.cell} is {row.certainty!r}, but it has "
                           f"{'values' if row.high else 'no value'} at the high end")
    if PEAK not in row.metrics:
        raise RecordsError(f"{place}: {row.cell} is measured but has no {PEAK}")
    total = sum(row.parts().values())
    if total != row.metrics[PEAK]:
        raise RecordsError(f"{place}: the categories at the peak of {row.cell} add up to {total} B, "
                           f"but {PEAK} is {row.metrics[PEAK]} B")


def parse_row(line: str, place: str) -> Row:
    data = parse_object(line, place)
    missing = [key for key in ("cell", "model", "technique", "device", "outcome") if key not in data]
    if missing:
        raise RecordsError(f"{place}: the cell has no {', '.join(missing)}")
    row = Row(data["cell"], data["model"], data.get("preset", ""), data["technique"], data["device"],
              data["outcome"], data.get("reason", ""), data.get("certainty"), data.get("metrics", {}),
              data.get("high", {}), data.get("attributes", {}), data.get("promises", []))
    check_metrics(row, place)
    return row


def complete_lines(text: str, path: Path) -> list[str]:
    """An interrupted run may end within a line; the finished rows count."""
    *lines, rest = text.split("\n")
    if rest:
        print(f"highwater: {path}:{len(lines) + 1}: half a line, left out; the run was interrupted", file=sys.stderr)
    return lines


def check_unique(rows: list[Row], path: Path) -> None:
    first: dict[str, int] = {}
    for number, row in enumerate(rows, 2):
        if first.setdefault(row.cell, number) != number:
            raise RecordsError(f"{path}:{number}: {row.cell} is there already, in line {first[row.cell]}")


def schema_advice(found: Any) -> str:
    family, number = SCHEMA.split("/")
    match = re.fullmatch(re.escape(family) + r"/([1-9][0-9]*)", str(found))
    if match and int(match[1]) > int(number):
        return "a newer Highwater wrote it: upgrade this one"
    return "is this a records.jsonl of this version?"


def read_records(path: Path) -> Records:
    try:
        lines = complete_lines(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise RecordsError(f"{path}: cannot be read: {error}") from error
    header = parse_object(lines[0], f"{path}:1") if lines else {}
    if header.get("schema") != SCHEMA:
        raise RecordsError(f"{path}:1: the schema is {header.get('schema')!r}, but this script reads {SCHEMA!r}; "
                           + schema_advice(header.get("schema")))
    rows = [parse_row(line, f"{path}:{number}") for number, line in enumerate(lines[1:], 2)]
    check_unique(rows, path)
    if not rows:
        raise RecordsError(f"{path}:{len(lines)}: the run holds no cell, so there is nothing to draw")
    return Records(header, rows)


def merged(runs: list[Records], names: list[str]) -> Records:
    """Rows of several runs under one header. One cell twice, or one device as two testbeds, is refused."""
    header, rows, cells = dict(runs[0].header), [], {}
    header["testbed"] = dict(header.get("testbed", {}))
    for run, name in zip(runs, names):
        for device, testbed in run.header.get("testbed", {}).items():
            if header["testbed"].setdefault(device, testbed) != testbed:
                raise RecordsError(f"{name}: its {device} is another testbed than that of {names[0]}: they cannot stand in one figure")
        for row in run.rows:
            if cells.setdefault(row.cell, name) != name:
                raise RecordsError(f"{name}: {row.cell} is in {cells[row.cell]} too")
            rows.append(row)
    return Records(header, rows)


def read_merged(paths: list[Path]) -> Records:
    return merged([read_records(path) for path in paths], [str(path) for path in paths])
