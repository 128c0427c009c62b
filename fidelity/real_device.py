"""A capture of a real GPU against the simulation of the same card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from captures import Capture, CapturedCell, CaptureError
from comparison import Comparison, compare, frees_in_order
from event_streams import Event
from fidelity_report import mebibytes, table
from simulation import PROFILES


@dataclass(frozen=True)
class CellResult:
    name: str
    real: CapturedCell
    simulated: CapturedCell

    @property
    def comparison(self) -> Comparison:
        return compare(frees_in_order(self.real.events), frees_in_order(self.simulated.events))

    @property
    def equal(self) -> bool:
        return bool(self.real.events) and self.comparison.equal


def profile_named(device_name: str) -> str:
    """The shipped profile whose card says this name, e.g. `NVIDIA H200` -> `h200`."""
    for path in sorted(PROFILES.glob("*.json")):
        if json.loads(path.read_text(encoding="utf-8"))["name"] == device_name:
            return path.stem
    raise CaptureError(f"no profile under simgpu/profiles is of a \"{device_name}\"; "
                       "add the one that the capture holds (profile.json) with its sources")


def results(real: Capture, simulated: Capture) -> list[CellResult]:
    nothing = CapturedCell(missing="not in the capture")
    return [CellResult(name, real.cells.get(name, nothing), cell) for name, cell in simulated.cells.items()
            if cell.events]


def cell_row(result: CellResult) -> list[object]:
    if not result.real.events:
        return [f"`{result.name}`", "-", "-", "-", "-", f"not captured: {result.real.missing}"]
    found = result.comparison
    return [f"`{result.name}`", f"{found.recorded_events:,}", f"{found.differing:,}", mebibytes(result.real.used),
            mebibytes(result.simulated.used), found.first or ""]


def falling_share(events: tuple[Event, ...]) -> tuple[int, int]:
    """Of the pairs of one segment_alloc after another: how many addresses fell, and how many pairs there are."""
    addresses = [event.address for event in events if event.action == "segment_alloc"]
    pairs = list(zip(addresses, addresses[1:]))
    return sum(after < before for before, after in pairs), len(pairs)


def profile_rows(written: dict[str, object], shipped: dict[str, object]) -> Iterator[list[object]]:
    for name in sorted(written.keys() & shipped.keys()):
        if isinstance(written[name], int) and written[name] != shipped[name]:
            yield [f"`{name}`", written[name], shipped[name]]


def rate_row(rate: dict[str, object]) -> list[object]:
    """Work a nanosecond is 10^9 of it a second: GFLOP/s of a product, GB/s of a copy."""
    speed = float(str(rate["work"])) / max(1.0, float(str(rate["nanoseconds"])))
    return [rate["operation"], rate["dtype"], rate["shape"], f"{int(str(rate['nanoseconds'])):,}", f"{speed:,.1f}"]


def report(real: Capture, cells: list[CellResult], differences: list[list[object]] | None) -> str:
    equal = sum(result.equal for result in cells)
    fell, pairs = (sum(count) for count in zip(*(falling_share(result.real.events) for result in cells)))
    contexts = {result.real.context for result in cells if result.real.events}
    text = f"# {real.facts.get('device_name', real.device)} against its simulation\n\n"
    text += f"torch {real.facts.get('torch')}; {equal} of {len(cells)} cells equal, event for event.\n\n"
    text += table(["cell", "events", "differing", "driver memory used, MiB", "simulated", "first difference"],
                  map(cell_row, cells))
    text += f"\nThe context took {', '.join(sorted(mebibytes(size) for size in contexts)) or '?'} MiB. "
    text += f"Of {pairs:,} segments allocated after another, {fell:,} lie below it.\n"
    if differences is None:
        text += "\nThe capture holds no profile of the card.\n"
    elif differences:
        text += "\nThe profile that the card says differs from the shipped one:\n\n"
        text += table(["value", "card", "shipped"], differences)
    text += "\nRates (not compared):\n\n"
    return text + table(["operation", "dtype", "shape", "ns", "work a ns"], map(rate_row, real.rates))


def profile_differences(folder: Path, profile: str) -> list[list[object]] | None:
    written = folder / "profile.json"
    if not written.exists():
        return None
    shipped = json.loads((PROFILES / f"{profile}.json").read_text(encoding="utf-8"))
    return list(profile_rows(json.loads(written.read_text(encoding="utf-8")), shipped))
