"""A capture: what `highwater capture` wrote of a device, real or simulated."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from event_streams import Event, StreamError, read_history

SCHEMA = "highwater-capture-1"


class CaptureError(Exception):
    """A capture cannot be used or made; the text names it."""


@dataclass(frozen=True)
class CapturedCell:
    """One cell's events, and what the driver said of the memory around them. Without events: why there are none."""

    events: tuple[Event, ...] = ()
    driver: dict[str, int] = field(default_factory=dict)
    missing: str = ""

    @property
    def used(self) -> int:
        """Bytes the driver gave out after the context was made and still misses at the end."""
        return self.driver["free_with_context"] - self.driver["free_at_end"]

    @property
    def context(self) -> int:
        return self.driver["total"] - self.driver["free_with_context"]


@dataclass(frozen=True)
class Capture:
    """One device's cells, by id without the device: model/preset/technique."""

    device: str
    facts: dict[str, str]
    rates: list[dict[str, Any]]
    cells: dict[str, CapturedCell]


def key_of(cell_id: str) -> tuple[str, str]:
    """`mlp/full/baseline/sim:h200` -> (`mlp/full/baseline`, `sim:h200`)."""
    parts = cell_id.split("/")
    return "/".join(parts[:3]), parts[3]


def read_cell(folder: Path, row: dict[str, Any]) -> CapturedCell:
    if "events" not in row:
        return CapturedCell(missing=row.get("skipped") or row.get("failed") or "no reason was given")
    return CapturedCell(tuple(read_history(folder / row["events"])), row["driver"])


def read_capture(folder: Path) -> Capture:
    path = folder / "capture.json"
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
        if text["schema"] != SCHEMA:
            raise CaptureError(f"{path} is a \"{text['schema']}\", not a {SCHEMA}; it was written by another version")
        (device, about), = text["devices"].items()
        cells = {key_of(name): read_cell(folder, row) for name, row in text["cells"].items()}
    except (OSError, KeyError, TypeError, ValueError, StreamError) as error:
        raise CaptureError(f"{path} is no capture of one device: {error}") from error
    return Capture(device, about["testbed"]["facts"], about["rates"],
                   {name: cell for (name, on), cell in cells.items() if on == device})


def capture(highwater: Path, device: str, into: Path, selection: Sequence[str] = ()) -> Capture:
    """Makes one of the default suite, or of what the flags in `selection` leave of it."""
    command = [str(highwater), "capture", "--device", device, "--into", str(into), *selection]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 6):  # 6: a cell failed, and says so in the capture
        raise CaptureError(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stderr.strip()}")
    return read_capture(into)
