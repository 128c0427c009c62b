"""Technique by model: the signed change of the peak, and in hatched fields why there is none."""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from figures.figure import FigureKind, Sources
from figures.style import INK, MINUS, NO_VALUE, canvas, head_of
from records import PEAK, RecordsError, Row

# Edges in percent, and a colour for each field between them: blue saves, orange grows, white does neither.
EDGES = (-75, -50, -35, -20, -10, -5, -1, 1, 5, 10, 20, 50, 100)
COLOURS = ("#003F66", "#005A8F", "#0072B2", "#3C93C6", "#78B4D8", "#ACD1E7", "#D9EAF4", "#FFFFFF",
           "#FDF0D5", "#F9DCA4", "#F3C265", "#E69F00", "#D55E00", "#9C4500")
DARK = {"#003F66", "#005A8F", "#0072B2", "#D55E00", "#9C4500"}
ROW_INCHES = 0.2
SIZES = {"small": "batch of 1"}


def baseline_of(rows: dict[tuple[str, str, str], Row], row: Row) -> Row | None:
    found = rows.get((row.model, row.preset, "baseline"))
    return found if found and found.outcome == "measured" and found.metrics[PEAK] else None


def reason_of(row: Row) -> str:
    """Without the model's name: the column says that."""
    if "diverges" in row.attributes:
        return "diverges: some weights become NaN, so its bytes save nothing"
    reason = row.reason.removeprefix(f"{row.model} ").strip()
    return row.outcome.replace("_", " ") + (f": {reason}" if reason else "")


def change_of(rows: dict[tuple[str, str, str], Row], row: Row) -> float | None:
    """In percent; none where there is nothing to compare or what was computed is not a training."""
    before = baseline_of(rows, row)
    if row.outcome != "measured" or before is None or "diverges" in row.attributes:
        return None
    return 100 * (row.metrics[PEAK] / before.metrics[PEAK] - 1)


def colour_of(percent: float) -> str:
    return COLOURS[bisect_right(EDGES, percent)]


def percent_label(percent: float) -> str:
    return f"{percent:+.0f}".replace("-", MINUS) if round(percent) else "0"


def letters() -> Iterator[str]:
    yield from "abcdefghijklmnopqrstuvwxyz"
    while True:
        yield "?"


class Fields:
    """Collects the fields of one colour into one path: a thousand of them stay a small file."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.by_colour: dict[str | None, list[Path]] = {}

    def add(self, x: int, y: int, colour: str | None) -> None:
        corners = [(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5), (x - 0.5, y - 0.5)]
        self.by_colour.setdefault(colour, []).append(Path(corners, closed=True))

    def finish(self) -> None:
        for colour, fields in self.by_colour.items():
            path = Path.make_compound_path(*fields)
            if colour is None:
                self.axes.add_patch(PathPatch(path, facecolor=NO_VALUE[0], edgecolor=NO_VALUE[1], hatch="////", linewidth=0))
            else:
                self.axes.add_patch(PathPatch(path, facecolor=colour, edgecolor="#FFFFFF", linewidth=0.8))


def draw_fields(axes: Axes, rows: dict[tuple[str, str, str], Row], techniques: list[str], models: list[str]) -> dict[str, str]:
    """Returns reason -> letter."""
    reasons: dict[str, str] = {}
    letter, fields = letters(), Fields(axes)
    at = {(row.technique, row.model): row for row in rows.values()}
    for y, technique in enumerate(techniques):
        for x, model in enumerate(models):
            row = at.get((technique, model))
            percent = change_of(rows, row) if row else None
            fields.add(x, y, None if percent is None else colour_of(percent))
            if percent is not None:
                text, colour = percent_label(percent), "white" if colour_of(percent) in DARK else INK
            else:
                reason = reason_of(row) if row else "not in this run"
                text, colour = reasons.get(reason) or reasons.setdefault(reason, next(letter)), "#777777"
            axes.text(x, y, text, ha="center", va="center_baseline", fontsize=6.6, color=colour)
    fields.finish()
    return reasons


def draw_legends(figure: Figure, reasons: dict[str, str], bottom: float) -> None:
    height = figure.get_figheight()
    texts = ["up to \N{MINUS SIGN}75 %", *(f"{low:+d} to {high:+d}".replace("-", MINUS) for low, high in zip(EDGES, EDGES[1:])), "over +100 %"]
    handles = [Patch(facecolor=colour, edgecolor="#BBBBBB", linewidth=0.5, label=text) for colour, text in zip(COLOURS, texts)]
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.01, (bottom - 0.62) / height), ncols=7, frameon=False, fontsize=7.2,
                  columnspacing=1.2, handlelength=1.4, borderaxespad=0)
    lines = [textwrap.shorten(f"{letter}  {reason}", 84, placeholder=" \N{HORIZONTAL ELLIPSIS}") for reason, letter in reasons.items()]
    half = -(-len(lines) // 2)
    for column, part in enumerate((lines[:half], lines[half:])):
        figure.text(0.015 + 0.5 * column, (bottom - 0.78) / height, "\n".join(part), fontsize=7.2, va="top", linespacing=1.4)


def draw(sources: Sources) -> Figure:
    device = sources.choose_device()
    chosen = sources.rows(device)
    rows = {(row.model, row.preset, row.technique): row for row in chosen if not row.settings()}
    techniques = sorted({row.technique for row in rows.values()} - {"baseline"})
    models = list(dict.fromkeys(row.model for row in rows.values()))
    if not techniques:
        raise RecordsError("the run has no technique beside baseline, so there is nothing to compare")
    reasons = {reason_of(row) for row in rows.values() if row.outcome != "measured" or "diverges" in row.attributes}
    bottom = 0.95 + 0.15 * (len(reasons) + 2) / 2
    head = head_of("What each technique does to the peak of each model", sources.run(), device, chosen,
                   "Field: change of the peak against baseline in the same scenario, in percent (of a bounded row the low end); "
                   "italic: measured at a batch of 1. Hatched: no number, the letter says why.")
    figure, grid = canvas(head, ROW_INCHES * len(techniques), left=2.25, right=0.15, top=0.85, bottom=bottom)
    axes = grid[0, 0]
    found = draw_fields(axes, rows, techniques, models)
    axes.set_xlim(-0.5, len(models) - 0.5)
    axes.set_ylim(len(techniques) - 0.5, -0.5)
    axes.set_xticks(range(len(models)), models, rotation=40, ha="left", rotation_mode="anchor", fontsize=8)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(techniques)), techniques, fontsize=7.6)
    small = {row.technique for row in rows.values() if row.preset == "small"}
    for label in axes.get_yticklabels():
        label.set_style("italic" if label.get_text() in small else "normal")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    draw_legends(figure, found, bottom)
    return figure


FIGURE = FigureKind("heatmap", "Every technique on every model: how far it moves the peak.",
                    "Go down a model's column and take what is dark blue; a row that is blue everywhere is a safe choice.", draw)
