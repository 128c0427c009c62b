"""What a figure is and what it may be drawn from: records, never a measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from baseline_history import Move
from records import Records, RecordsError, Row


@dataclass(frozen=True)
class Sources:
    """What was found to draw from. A figure that lacks something says so by a RecordsError."""

    records: Records | None = None
    device: str | None = None  # draw its rows; None: the figure chooses
    models: tuple[str, ...] = ()  # draw these; none: all
    baselines: dict[str, dict[str, int]] = field(default_factory=dict)  # testbed -> cell -> accepted peak, in bytes
    baseline_name: str = "the accepted baselines"
    moves: tuple[Move, ...] = ()  # of baseline rows, oldest first
    capture: Path | None = None  # folder of `highwater capture`

    def run(self) -> Records:
        if self.records is None:
            raise RecordsError("this figure needs the records of a run: name its folder")
        return self.records

    def rows(self, device: str) -> list[Row]:
        """Of the device and the models that were asked for."""
        rows = [row for row in self.run().rows if row.device == device and (not self.models or row.model in self.models)]
        if not rows:
            raise RecordsError(f"the run has no row of {', '.join(self.models)} on {device}")
        return rows

    def choose_device(self, fits: Callable[[Row], bool] = lambda row: row.device != "cpu", need: str = "") -> str:
        """The one that was asked for, or the first with a fitting row, or where nothing is needed the first."""
        devices = self.run().devices()
        if self.device is not None:
            if self.device not in devices:
                raise RecordsError(f"the run has no device '{self.device}'; it has: {', '.join(devices)}")
            return self.device
        found = next((row.device for row in self.run().rows if fits(row)), None)
        if found is None and need:
            raise RecordsError(f"the run has no {need}, so there is nothing to draw")
        return found or devices[0]


@dataclass(frozen=True)
class FigureKind:
    name: str  # of the files, and on the command line
    shows: str  # one sentence
    read_it: str  # one sentence: what to look for
    draw: Callable[[Sources], Figure]
