"""Peak against batch, with the memory that the device has."""

from __future__ import annotations

import re

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figures.figure import FigureKind, Sources
from figures.peaks import technique_label
from figures.style import BLACK, DOT, GIB, NO_VALUE, SERIES, Head, canvas, device_text, grid_lines, only, panel_title, peak_meaning, unit_of
from records import PEAK, RecordsError, Row


def batch_of(row: Row) -> int | None:
    """Of the cell's id; cells of the preset's own batch name none."""
    found = re.search(r"\bbatch=(\d+)", row.settings())
    return int(found[1]) if found else None


def draw_series(axes: Axes, rows: list[Row], look: tuple[str, str], size: int, limit: float) -> None:
    colour, marker = look
    ordered = sorted(rows, key=lambda row: batch_of(row) or 0)
    fits = [row for row in ordered if row.outcome == "measured"]
    axes.plot([batch_of(row) or 0 for row in fits], [row.metrics[PEAK] / size for row in fits], color=colour, marker=marker, markersize=6,
              linewidth=1.6)
    lost = next((row for row in ordered if row.outcome == "out_of_memory"), None)
    if lost is not None and limit:
        top = limit / size
        if fits:
            axes.plot([batch_of(fits[-1]) or 0, batch_of(lost) or 0], [fits[-1].metrics[PEAK] / size, top], color=colour, linewidth=1,
                      linestyle=":")
        axes.plot([batch_of(lost) or 0], [top], color=colour, marker="x", markersize=9, markeredgewidth=2, zorder=4)


def draw_limit(axes: Axes, limit: float, name: str, size: int) -> None:
    axes.axhspan(limit / size, 1.16 * limit / size, facecolor=NO_VALUE[0], hatch="////", edgecolor=NO_VALUE[1], linewidth=0)
    axes.axhline(limit / size, color=BLACK, linewidth=1.2)
    axes.annotate(f"memory of the device: {limit / GIB:.2f} GiB" + ("" if name == "GiB" else f" = {limit / size:.0f} {name}"),
                  (0.01, limit / size), xycoords=("axes fraction", "data"), xytext=(4, 5), textcoords="offset points", fontsize=8,
                  bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"})


def draw(sources: Sources) -> Figure:
    device = sources.choose_device(lambda row: batch_of(row) is not None, need="cell of a batch of its own (run with --batch, several times)")
    rows = [row for row in sources.rows(device) if batch_of(row) is not None]
    batches = sorted({batch_of(row) or 0 for row in rows})
    if len(batches) < 2:
        raise RecordsError("the records hold one batch only: measure several and merge them (scripts/publish_records.py --as NAME RUN...)")
    records = sources.run()
    limit = float(records.facts(device).get("total_memory_bytes", 0))
    models = list(dict.fromkeys(row.model for row in rows))
    looks = {name: SERIES[index % len(SERIES)] for index, name in enumerate(dict.fromkeys(row.technique for row in rows))}
    head = Head("Peak against batch", (
        f"{device_text(records, device)} {DOT} batch: on the x axis, in samples {DOT} {only(rows, 'precision') or 'fp32 unless the technique says otherwise'}",
        peak_meaning(device),
        "Cross: the first batch in this run that did not fit (drawn at the limit, its own peak is not known). A context and what the allocator keeps beside allocated bytes need room too, "
        "so that cells fail below the line."))
    figure, grid = canvas(head, 3.2, len(models), 1, left=0.75, right=3.1, top=0.45, bottom=0.5)
    for axes, model in zip(grid.flat, models):
        cells = [row for row in rows if row.model == model]
        highest = max((row.metrics[PEAK] for row in cells if row.outcome == "measured"), default=0)
        name, size = unit_of(max(highest, limit))
        for technique, look in looks.items():
            draw_series(axes, [row for row in cells if row.technique == technique], look, size, limit)
        if limit:
            draw_limit(axes, limit, name, size)
        axes.set_ylim(0, max(1.12 * limit, 1.1 * highest) / size)
        axes.set_xlim(0, 1.04 * batches[-1])
        axes.set_xticks(batches)
        axes.set_xlabel("batch (samples)", fontsize=8)
        axes.set_ylabel(f"peak allocated ({name})", fontsize=8)
        panel_title(axes, model, f"preset {cells[0].preset}")
        grid_lines(axes)
    handles = [Line2D((), (), color=colour, marker=marker, label=technique_label(name)) for name, (colour, marker) in looks.items()]
    handles.append(Line2D((), (), color=BLACK, marker="x", linestyle="none", markersize=8, markeredgewidth=2, label="out of memory"))
    grid[0, 0].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False, fontsize=8, labelspacing=0.9, borderaxespad=0)
    return figure


FIGURE = FigureKind("batch", "How the peak grows with the batch, and where the device ends.",
                    "The last marker before a cross is the largest batch that this run fitted into the device.", draw)
