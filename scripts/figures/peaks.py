"""A run's memory peaks: one bar per technique, stacked by category, one panel per model."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from figures.figure import FigureKind, Sources
from figures.style import (CATEGORIES, HATCH_COLOUR, NO_VALUE, Head, canvas, device_text, grid_lines, panel_title,
                           peak_meaning, percent_text, settings_text, unit_of)
from records import PEAK, RecordsError, Row

PANEL_COLUMNS = 2
LABEL_WIDTH = 30  # characters: a composition breaks at its plus signs
ROW_INCHES = 0.27
LABEL_LINE_INCHES = 0.135
LABEL_INCHES = 2.25
BAR_HEIGHT = 0.72  # of a row


def panels_of(rows: list[Row]) -> dict[tuple[str, str, str], dict[str, Row]]:
    """(model, preset, settings) -> technique -> row, in the order of the records."""
    panels: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        panels.setdefault((row.model, row.preset, row.settings()), {})[row.technique] = row
    return panels


def technique_label(technique: str) -> str:
    lines, current = [], ""
    for name in technique.split("+"):
        joined = f"{current} + {name}" if current else name
        if current and len(joined) > LABEL_WIDTH:
            lines.append(current + " +")
            joined = name
        current = joined
    return "\n".join([*lines, current])


def change_text(row: Row, baseline: Row | None) -> str:
    if baseline is None or baseline is row or baseline.outcome != "measured" or baseline.metrics[PEAK] == 0:
        return ""
    return "  " + percent_text(row.metrics[PEAK] / baseline.metrics[PEAK])


def bar_text(number: float, unit: str) -> str:
    return f"{number:.3f} {unit}" if number < 1 else f"{number:.2f} {unit}"


def draw_bar(axes: Axes, position: int, row: Row, baseline: Row | None, unit: tuple[str, int]) -> None:
    parts, left, (name, size) = row.parts(), 0.0, unit
    for category, (_, colour, hatch) in CATEGORIES.items():
        width = parts.get(category, 0) / size
        if width > 0:
            axes.barh(position, width, left=left, height=BAR_HEIGHT, color=colour, hatch=hatch,
                      edgecolor=HATCH_COLOUR, linewidth=0)
        left += width
    ends = [end / size for end in row.peak_ends()]
    if row.high:
        axes.plot(ends, (position, position), color="black", linewidth=1, marker="|", markevery=[1])
    label = " to ".join(dict.fromkeys(bar_text(end, name) for end in sorted(ends)))
    axes.annotate(label + change_text(row, baseline), (max(ends), position), xytext=(5, 0),
                  textcoords="offset points", va="center", fontsize=7.8)


def draw_reason(axes: Axes, position: int, text: str) -> None:
    """A row without a bar: never blank, so that it cannot be taken for zero bytes."""
    axes.barh(position, 1, height=BAR_HEIGHT, transform=axes.get_yaxis_transform(), color=NO_VALUE[0], hatch="////",
              edgecolor=NO_VALUE[1], linewidth=0)
    lines = textwrap.wrap(text, 56, max_lines=2, placeholder=" \N{HORIZONTAL ELLIPSIS}")
    axes.text(0.012, position, "\n".join(lines), transform=axes.get_yaxis_transform(), va="center", fontsize=6.8,
              linespacing=1.0, bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"})


def reason_text(row: Row | None) -> str:
    if row is None:
        return "not in this run"
    word = row.outcome.replace("_", " ")
    return f"{word}: {row.reason}" if row.reason else word


def panel_subtitle(rows: list[Row]) -> str:
    """Preset, settings, batch and precision of the baseline, or of the first row that knows them."""
    ordered = sorted(rows, key=lambda row: row.technique != "baseline")
    known = {key: next((str(row.attributes[key]) for row in ordered if key in row.attributes), None)
             for key in ("batch", "precision")}
    batch = f"batch {known['batch']}" if known["batch"] else "batch as the preset says"
    precision = known["precision"] or "fp32 by default"
    stated = [f"preset {rows[0].preset}" if rows[0].preset else "", rows[0].settings()]
    if known["batch"] or "batch=" not in rows[0].settings():
        stated.append(batch)
    return ", ".join(text for text in [*stated, precision] if text)


def draw_panel(axes: Axes, cells: dict[str, Row], techniques: list[str]) -> None:
    widest = max((max(row.peak_ends()) for row in cells.values() if row.outcome == "measured"), default=0)
    unit = unit_of(widest)
    for position, technique in enumerate(techniques):
        row = cells.get(technique)
        if row is not None and row.outcome == "measured":
            draw_bar(axes, position, row, cells.get("baseline"), unit)
        else:
            draw_reason(axes, position, reason_text(row))
    bounded = any(row.high for row in cells.values())
    axes.set_xlim(0, (widest / unit[1] or 1) * (1.85 if bounded else 1.55))  # room for the label behind the longest bar
    axes.set_ylim(len(techniques) - 0.5, -0.5)
    axes.set_xlabel(f"peak allocated ({unit[0]})", fontsize=8)
    panel_title(axes, next(iter(cells.values())).model, panel_subtitle(list(cells.values())))
    axes.set_yticks(range(len(techniques)), [technique_label(name) for name in techniques], linespacing=1.05, fontsize=7.5)
    axes.spines.left.set_visible(False)
    grid_lines(axes, "x")


def draw_legend(figure: Figure, rows: list[Row], top: float) -> None:
    present = {name for row in rows if row.outcome == "measured" for name, size in row.parts().items() if size > 0}
    handles: list[Patch | Line2D] = [Patch(facecolor=colour, hatch=hatch * 2, edgecolor=HATCH_COLOUR, linewidth=0, label=label)
               for name, (label, colour, hatch) in CATEGORIES.items() if name in present]
    if any(row.high for row in rows):
        handles.append(Line2D((), (), color="black", linewidth=1, marker="|", label="to the high end"))
    if any(row.outcome != "measured" for row in rows):
        handles.append(Patch(facecolor=NO_VALUE[0], hatch="////", edgecolor=NO_VALUE[1], linewidth=0, label="no measurement"))
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.004, top), ncols=min(5, len(handles)), frameon=False,
                  handlelength=1.8, handleheight=1.1, columnspacing=1.4, borderaxespad=0, fontsize=8)


def check_categories(rows: list[Row]) -> None:
    for row in rows:
        unknown = set(row.parts()) - set(CATEGORIES) if row.outcome == "measured" else set()
        if unknown:
            raise RecordsError(f"{row.cell} has a category this script does not know: {', '.join(sorted(unknown))}")


def draw(sources: Sources) -> Figure:
    device = sources.choose_device()
    rows, records = sources.rows(device), sources.run()
    check_categories(rows)
    panels = panels_of(rows)
    techniques = list(dict.fromkeys(row.technique for row in rows))
    columns = min(PANEL_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    longest = max(technique_label(name).count("\n") + 1 for name in techniques)
    panel = len(techniques) * max(ROW_INCHES, longest * LABEL_LINE_INCHES + 0.04)
    run = " ".join(str(records.header[name]) for name in ("suite", "created") if name in records.header)
    head = Head("Training memory at its peak, by technique",
                (device_text(records, device), f"Run: {run} \N{MIDDLE DOT} {settings_text(rows)}",
                 peak_meaning(device) + " Colours: what held them at that instant."))
    figure, grid = canvas(head, panel, lines, columns, left=LABEL_INCHES, right=0.12, top=0.85, bottom=0.5, gap=0.95, between=0.2,
                          sharey=True)
    for axes, cells in zip(grid.flat, panels.values()):
        draw_panel(axes, cells, techniques)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    draw_legend(figure, rows, 1 - (head.inches() + 0.02) / figure.get_figheight())
    return figure


FIGURE = FigureKind("peaks", "What the memory of each technique is made of at its peak, model by model.",
                    "The longest colour of the bar of baseline says which kind of technique can help.", draw)
