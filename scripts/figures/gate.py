"""What the gate compares: each cell's peak less its accepted baseline, worst first."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from figures.figure import FigureKind, Sources
from figures.style import BLUE, DOT, HATCH_COLOUR, VERMILION, Head, canvas, device_text, grid_lines, peak_meaning, settings_text
from figures.style import percent_text, size_text, unit_of
from records import PEAK, RecordsError, Row

MOST_BARS = 40
ROW_INCHES = 0.23


@dataclass(frozen=True)
class Difference:
    row: Row
    before: int

    @property
    def bytes(self) -> int:
        return self.row.metrics[PEAK] - self.before


def differences(sources: Sources, device: str) -> tuple[list[Difference], int, int]:
    """Cells that differ, the one that grew most first; how many do not; how many have no baseline."""
    testbed = sources.run().header.get("testbed", {}).get(device, {}).get("id", "")
    accepted = sources.baselines.get(testbed, {})
    if not accepted:
        raise RecordsError(f"{sources.baseline_name} have no row of testbed {testbed}, so nothing can be compared")
    rows = [row for row in sources.rows(device) if row.outcome == "measured"]
    known = [Difference(row, accepted[row.cell]) for row in rows if row.cell in accepted]
    moved = sorted((one for one in known if one.bytes), key=lambda one: -one.bytes)
    return moved, len(known) - len(moved), len(rows) - len(known)


def draw(sources: Sources) -> Figure:
    device = sources.choose_device()
    moved, still, new = differences(sources, device)
    shown = sorted(sorted(moved, key=lambda one: -abs(one.bytes))[:MOST_BARS], key=lambda one: -one.bytes)
    name, size = unit_of(max((abs(one.bytes) for one in shown), default=0) if shown else 0)
    left_out = f", {len(moved) - len(shown)} smaller differences left out" if len(moved) > len(shown) else ""
    records = sources.run()
    head = Head("What moved against the baselines", (
        f"{device_text(records, device)} {DOT} {settings_text([one.row for one in moved] or sources.rows(device))}",
        peak_meaning(device) + f" Bar: the peak of this run less that of {sources.baseline_name}, from 0 (of a bounded cell the low end). "
        f"{len(moved)} cells differ, {still} are unchanged, {new} have no baseline{left_out}."))
    figure, grid = canvas(head, max(1, len(shown)) * ROW_INCHES + 0.15, left=3.95, right=0.3, top=0.45, bottom=0.5)
    axes = grid[0, 0]
    widest = max((abs(one.bytes) for one in shown), default=size) / size
    for position, one in enumerate(shown):
        grew = one.bytes > 0
        axes.barh(position, one.bytes / size, height=0.7, color=VERMILION if grew else BLUE, hatch="xx" if grew else "//",
                  edgecolor=HATCH_COLOUR, linewidth=0)
        text = f"{'+' if grew else ''}{size_text(one.bytes)}  ({percent_text(one.row.metrics[PEAK] / one.before, 3 if abs(one.bytes) < one.before / 1000 else 1)})"
        axes.annotate(text, (one.bytes / size, position), xytext=(5 if grew else -5, 0), textcoords="offset points", va="center",
                      ha="left" if grew else "right", fontsize=7.8)
    if not shown:
        axes.text(0.5, 0.5, f"all {still} cells take exactly what their baselines say", transform=axes.transAxes, ha="center", va="center",
                  fontsize=10)
    grows, shrinks = any(one.bytes > 0 for one in shown), any(one.bytes < 0 for one in shown)
    axes.set_xlim(-1.55 * widest if shrinks else -0.02 * widest, 1.55 * widest if grows else 0.02 * widest)
    axes.set_ylim(max(1, len(shown)) - 0.4, -0.6)
    axes.set_yticks(range(len(shown)), ["\n".join(textwrap.wrap(label_of(one.row), 62)) for one in shown], fontsize=7.6)
    if not shown:
        axes.set_axis_off()
    axes.axvline(0, color="black", linewidth=0.9 if shown else 0)
    axes.spines.left.set_visible(False)
    axes.set_xlabel(f"peak allocated, change ({name})", fontsize=8)
    grid_lines(axes, "x")
    looks = [(grows, VERMILION, "xxxx", "needs more: regressed"), (shrinks, BLUE, "////", "needs less: improved")]
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor=HATCH_COLOUR, linewidth=0, label=label) for there, colour, hatch, label in looks if there]
    if shown:
        figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.004, 1 - (head.inches() + 0.02) / figure.get_figheight()), ncols=2,
                      frameon=False, fontsize=8, borderaxespad=0, handleheight=1.1)
    return figure


def label_of(row: Row) -> str:
    names = row.technique.split("+")
    technique = row.technique if len(names) < 3 else f"{names[0]}+{names[1]}+{len(names) - 2} more"
    return f"{row.model} {technique}" + (f" {row.settings()}" if row.settings() else "")


FIGURE = FigureKind("gate", "What a run needs more and less than its baselines, cell by cell.",
                    "Bars to the right are regressions: `highwater gate` says for each what grew.", draw)
