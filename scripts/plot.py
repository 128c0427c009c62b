#!/usr/bin/env python3
"""Draws figures of a finished run, from its records alone. `highwater plot` starts this.

    highwater plot [FIGURE...] [--run RUN]... [--into FOLDER]

Without a name it draws every figure for which there are data, and says which it left out and why. Each is written as SVG
and PNG; the same records give the same bytes. Exit codes: 0 drawn, 1 could not be written, 2 what is asked cannot be drawn.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError:
    print("highwater: error: this Python has no matplotlib; scripts/setup.sh installs one that `highwater plot` finds, or set "
          "HIGHWATER_PYTHON to one that has it", file=sys.stderr)
    sys.exit(2)

from baseline_history import Move, history_of, read_history
from figures import all_figures
from figures.figure import FigureKind, Sources
from figures.style import STYLE, save
from records import PEAK, RecordsError, parse_object, read_merged, read_records

NOTHING_DRAWN = "none of the figures has the data that it needs"


def records_file(run: Path) -> Path:
    return run / "records.jsonl" if run.is_dir() else run


def read_baselines(folder: Path, suite: str) -> dict[str, dict[str, int]]:
    """testbed -> cell -> accepted peak."""
    found: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob(f"*/{suite}.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], 2):
            row = parse_object(line, f"{path}:{number}")
            if row.get("metric") == PEAK:
                found.setdefault(path.parent.name, {})[row["cell"]] = row["value"]
    return found


def values_of(against: Path) -> dict[str, dict[str, int]]:
    """The peaks of another run in the place of baselines."""
    records = read_records(records_file(against))
    testbeds = {device: bed.get("id", "") for device, bed in records.header.get("testbed", {}).items()}
    found: dict[str, dict[str, int]] = {}
    for row in records.rows:
        if row.outcome == "measured":
            found.setdefault(testbeds.get(row.device, ""), {})[row.cell] = row.metrics[PEAK]
    return found


def moves_of(options: argparse.Namespace, suite: str) -> tuple[Move, ...]:
    if options.history:
        return read_history(options.history)
    try:
        return history_of(options.baselines, suite)
    except RecordsError:
        return ()  # no repository here: the figure that needs one says so


def sources_of(options: argparse.Namespace) -> Sources:
    records = read_merged([records_file(run) for run in options.run])
    suite = str(records.header.get("suite", ""))
    baselines = values_of(options.against) if options.against else read_baselines(options.baselines, suite)
    return Sources(records=records, device=options.device, models=tuple(options.model), baselines=baselines,
                   baseline_name=f"the run {options.against.name}" if options.against else "the accepted baselines",
                   moves=moves_of(options, suite), capture=options.capture)


def draw(kind: FigureKind, sources: Sources, folder: Path) -> None:
    with matplotlib.rc_context(STYLE):
        paths = save(kind.draw(sources), folder, kind.name)
    print("\n".join(str(path) for path in paths))


def draw_all(names: list[str], sources: Sources, folder: Path) -> int:
    kinds = all_figures()
    drawn = 0
    for name in names or kinds:
        try:
            draw(kinds[name], sources, folder)
            drawn += 1
        except RecordsError as error:
            if names:
                raise RecordsError(f"{name}: {error}") from error
            print(f"highwater: no {name}: {error}", file=sys.stderr)
    if not drawn:
        raise RecordsError(NOTHING_DRAWN)
    return 0


def figures_text() -> str:
    rows = [f"  {kind.name:<10}{kind.shows}" for kind in all_figures().values()]
    return "figures:\n" + "\n".join(rows)


def parse(arguments: list[str]) -> argparse.Namespace:
    kinds = list(all_figures())
    parser = argparse.ArgumentParser(prog="highwater plot", description="Draws figures of a finished run, from its records alone, as SVG and PNG.",
                                     epilog=figures_text(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="those below (default: all that can be drawn)")
    parser.add_argument("--run", type=Path, action="append", default=[], help="run folder or records.jsonl; several are merged "
                        "(default: results/runs/latest)")
    parser.add_argument("--into", type=Path, help="folder to write (default: that of the first run)")
    parser.add_argument("--device", help="draw this device's rows (default: the first one that the figure can use)")
    parser.add_argument("--model", action="append", default=[], help="draw these models only")
    parser.add_argument("--baselines", type=Path, default=Path("results/baselines"), help="default: results/baselines")
    parser.add_argument("--against", type=Path, help="gate: hold the run against this run, not against the baselines")
    parser.add_argument("--history", type=Path, help="history: a kept file (default: what git says of the baselines)")
    parser.add_argument("--capture", type=Path, help="timeline: folder that `highwater capture` wrote")
    options = parser.parse_args(arguments)
    for name in options.figures:
        if name not in kinds:
            parser.error(f"there is no figure '{name}'; there are: {', '.join(kinds)}")
    options.run = options.run or [Path("results/runs/latest")]
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        folder = options.into or records_file(options.run[0]).parent.resolve()
        sources = sources_of(options)
        folder.mkdir(parents=True, exist_ok=True)
        return draw_all(options.figures, sources, folder)
    except (RecordsError, json.JSONDecodeError) as error:
        print(f"highwater: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"highwater: error: the figure could not be written: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
