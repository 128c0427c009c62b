"""Accepted moves of baselines: how each cell's level went since it was first accepted, and why."""

from __future__ import annotations

import textwrap

from matplotlib.figure import Figure

from baseline_history import Move
from figures.figure import FigureKind, Sources
from figures.style import BLACK, DOT, SERIES, Head, canvas, device_text, grid_lines, peak_meaning, settings_text, size_text, unit_of
from records import RecordsError, Row

OWN_SETTINGS = "batch and precision: each row's own"
MOST_CELLS = 8  # as many as can be told apart


def levels_of(moves: list[Move], events: list[str]) -> list[int]:
    """A cell's change since it was first accepted, after each of the commits."""
    first, level, levels = next(move.after for move in moves), 0, []
    by_commit = {move.commit: move for move in moves}
    for event in events:
        if event in by_commit:
            level = by_commit[event].after - first
        levels.append(level)
    return levels


def moved_cells(moves: tuple[Move, ...]) -> dict[str, list[Move]]:
    """Cells that moved at all, the largest first."""
    cells: dict[str, list[Move]] = {}
    for move in moves:
        cells.setdefault(move.cell, []).append(move)
    moved = {cell: rows for cell, rows in cells.items() if any(move.before is not None for move in rows)}
    return dict(sorted(moved.items(), key=lambda item: -max(abs(move.after - item[1][0].after) for move in item[1])))


def reason_lines(moves: list[Move], events: list[str]) -> list[str]:
    """Commit by commit: when, which, how many rows, why."""
    lines = []
    for number, event in enumerate(events, 1):
        there = [move for move in moves if move.commit == event]
        why = "; ".join(dict.fromkeys(move.reason for move in there if move.before is not None)) or there[0].reason
        moved = sum(move.before is not None for move in there)
        what = f"{moved} moved" if moved else f"{len(there)} new"
        text = f"{number}  {there[0].date} {event}, {what}: {why}"
        lines += textwrap.wrap(text, 135, max_lines=2, subsequent_indent="    ", placeholder=" \N{HORIZONTAL ELLIPSIS}")
    return lines


def described(sources: Sources, device: str) -> tuple[str, list[Row]]:
    rows = [row for row in sources.run().rows if row.device == device] if sources.records else []
    return (device_text(sources.run(), device), rows) if rows else (f"Device: {device}", [])


def draw(sources: Sources) -> Figure:
    devices = list(dict.fromkeys(move.cell.split("/")[3] for move in sources.moves))
    device = sources.device or next((name for name in devices if name != "cpu"), "cpu")
    wanted = tuple(move for move in sources.moves if move.cell.split("/")[3] == device)
    if not wanted:
        raise RecordsError(f"no baseline row of {device} was ever accepted in this history")
    testbed = wanted[-1].testbed
    moves = [move for move in wanted if move.testbed == testbed]
    events = list(dict.fromkeys(move.commit for move in moves))
    cells = moved_cells(tuple(moves))
    levels = {cell: levels_of(rows, events) for cell, rows in list(cells.items())[:MOST_CELLS]}
    widest = max((abs(level) for line in levels.values() for level in line), default=0)
    name, size = unit_of(widest)
    facts, rows = described(sources, device)
    reasons = reason_lines(moves, events)
    left_out = f" {len(cells) - len(levels)} more cells moved by less." if len(cells) > len(levels) else ""
    still = len({move.cell for move in moves}) - len(cells)
    head = Head("Accepted moves of the baselines", (
        f"{facts} {DOT} {settings_text(rows) if rows else OWN_SETTINGS} {DOT} testbed {testbed}",
        peak_meaning(device) + f" Line: a cell's accepted peak less the one that was accepted first.{left_out} {still} cells never moved."))
    bottom = 0.75 + 0.155 * len(reasons) + 0.19 * len(levels)
    figure, grid = canvas(head, 2.0, left=0.9, top=0.2, bottom=bottom)
    axes = grid[0, 0]
    places = list(range(1, len(events) + 1))
    for (cell, line), (colour, marker) in zip(levels.items(), SERIES):
        label = f"{cell}   {size_text(cells[cell][-1].after)}, {size_text(line[-1])} since the first"
        axes.step([*places, len(events) + 0.6], [level / size for level in [*line, line[-1]]], where="post", color=colour, linewidth=1.6)
        axes.plot(places, [level / size for level in line], linestyle="none", marker=marker, color=colour, markersize=5.5, label=label)
    axes.axhline(0, color=BLACK, linewidth=0.8)
    axes.set_xlim(0.7, len(events) + 0.6)
    axes.margins(y=0.08)
    axes.set_xticks(places, [str(place) for place in places])
    axes.set_xlabel("commit that touched these rows, oldest first (listed below)", fontsize=8)
    axes.set_ylabel(f"change since first accepted ({name})", fontsize=8)
    grid_lines(axes, "y")
    height = figure.get_figheight()
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.01, (bottom - 0.5) / height), frameon=False, fontsize=7.6, borderaxespad=0,
                      labelspacing=0.4)
    figure.text(0.015, (0.12 + 0.155 * len(reasons)) / height, "\n".join(reasons), fontsize=7.6, va="top", linespacing=1.3)
    return figure


FIGURE = FigureKind("history", "When and why accepted peaks moved.",
                    "A line that only rises in small steps is memory that creeps away; every step has its reason below.", draw)
