"""Peak against step time: a point per technique, and the front that nothing beats in both."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figures.figure import FigureKind, Sources
from figures.peaks import technique_label
from figures.style import BLACK, DOT, GREY, SERIES, Head, canvas, grid_lines, head_of, only, panel_title, unit_of
from records import PEAK, Row

TIME, SPREAD = "step_time_nanoseconds", "step_time_mad_nanoseconds"
COLUMNS = 2
MILLISECOND = 1e6


def timed(row: Row) -> bool:
    return row.outcome == "measured" and TIME in row.metrics


def pareto(rows: list[Row]) -> list[Row]:
    """Those that no other row beats: none is at least as small and as fast, and better in one. By falling peak."""
    front: list[Row] = []
    for row in sorted(rows, key=lambda row: (row.metrics[TIME], row.metrics[PEAK])):
        if not front or row.metrics[PEAK] < front[-1].metrics[PEAK]:
            front.append(row)
    return front


def looks_of(rows: list[Row]) -> dict[str, tuple[str, str]]:
    """technique -> colour and marker, the same in every panel."""
    names = list(dict.fromkeys(row.technique for row in rows))
    return {name: SERIES[index % len(SERIES)] for index, name in enumerate(names)}


def panel_grid(head: Head, height: float, count: int) -> tuple[Figure, Any, bool]:
    """Panels side by side, one a model, and whether a place stayed free for the legend."""
    columns = min(COLUMNS, count)
    lines = -(-count // columns)
    free = count < lines * columns
    figure, grid = canvas(head, height, lines, columns, left=0.75, top=0.5, bottom=0.5 if free else 1.6, gap=0.9, between=0.75)
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, grid, free


def draw_looks(figure: Figure, grid: Any, looks: dict[str, tuple[str, str]], free: bool, *more: Line2D) -> None:
    """The legend: where a panel stayed free in its place, else below all."""
    handles = [Line2D((), (), color=colour, marker=marker, linestyle="none", markersize=7, label=technique_label(name))
               for name, (colour, marker) in looks.items()]
    place = {"loc": "center left", "bbox_to_anchor": grid.flat[-1].get_position().bounds} if free else {"loc": "lower left", "ncols": 2}
    figure.legend(handles=[*handles, *more], frameon=False, fontsize=8, labelspacing=0.8, **place)


def model_title(axes: Axes, rows: list[Row]) -> None:
    batch = only(rows, "batch")
    panel_title(axes, rows[0].model, f"preset {rows[0].preset}" + (f", batch {batch}" if batch else ""))


def draw_panel(axes: Axes, rows: list[Row], looks: dict[str, tuple[str, str]]) -> None:
    name, size = unit_of(max(row.metrics[PEAK] for row in rows))
    front = pareto(rows)
    axes.step([row.metrics[TIME] / MILLISECOND for row in front], [row.metrics[PEAK] / size for row in front], where="post",
              color=GREY, linewidth=1.2, zorder=1)
    for row in rows:
        colour, marker = looks[row.technique]
        beaten = row not in front
        axes.errorbar(row.metrics[TIME] / MILLISECOND, row.metrics[PEAK] / size, xerr=row.metrics.get(SPREAD, 0) / MILLISECOND,
                      color=colour, marker=marker, markersize=8, markerfacecolor="white" if beaten else colour,
                      markeredgewidth=1.4, elinewidth=0.8, capsize=0, linestyle="none", zorder=2 if beaten else 3)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.1 * max(row.metrics[PEAK] for row in rows) / size)
    axes.set_xlabel("step time (ms, median)", fontsize=8)
    axes.set_ylabel(f"peak allocated ({name})", fontsize=8)
    model_title(axes, rows)
    grid_lines(axes)


def draw(sources: Sources) -> Figure:
    device = sources.choose_device(timed, need="step times (a simulated GPU has none)")
    rows = [row for row in sources.rows(device) if timed(row)]
    looks = looks_of(rows)
    panels = {model: [row for row in rows if row.model == model] for model in dict.fromkeys(row.model for row in rows)}
    head = head_of("Peak against step time", sources.run(), device, rows,
                   f"Time: median of the timed steps {DOT} bar: median absolute deviation {DOT} full marker and line: the Pareto front, "
                   f"which no technique here beats in both {DOT} hollow marker: beaten. Times of the twin on a cpu say nothing of a GPU's.")
    figure, grid, free = panel_grid(head, 1.85, len(panels))
    for axes, model in zip(grid.flat, panels):
        draw_panel(axes, panels[model], looks)
    beaten = Line2D((), (), color=BLACK, marker="o", linestyle="none", markersize=7, markerfacecolor="white", label="beaten in both")
    draw_looks(figure, grid, looks, free, beaten)
    return figure


FIGURE = FigureKind("tradeoff", "What a technique saves against what it costs in time, model by model.",
                    "Choose a full marker: whatever is hollow is slower and larger than some other technique.", draw)
