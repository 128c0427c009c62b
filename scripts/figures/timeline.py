"""The timeline of one step: what is alive after each event of the allocator, phase bands, the peak marked."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Polygon

from figures.figure import FigureKind, Sources
from figures.style import BLUE, GREEN, GREY, HATCH_COLOUR, INK, ORANGE, PURPLE, SKY, VERMILION, YELLOW, Head, canvas, device_text, grid_lines
from figures.style import DOT, panel_title, settings_text, size_text, unit_of
from records import RecordsError, Row
from step_events import BIRTHS, Step, capture_cells, last_step

REQUESTED = "peak_requested_bytes"
# As in CATEGORIES, as far as a birth tells the category.
LOOKS = ((BLUE, ""), (GREEN, "\\\\"), (ORANGE, "//"), (PURPLE, "||"), (VERMILION, "xx"), (SKY, "--"), (YELLOW, "++"), (GREY, ""))
BANDS = {"zero_grad": "#F7F7F7", "forward": "#EDEDED", "backward": "#F7F7F7", "optimizer": "#EDEDED"}
# An event more or less is no pixel: the curve keeps its extremes in so many columns.
COLUMNS = 300


def thinned(step: Step) -> list[int]:
    """Events to draw: of each column of the picture the lowest and the highest, the peak among them."""
    totals = step.totals()
    width = max(1, -(-len(totals) // COLUMNS))
    kept = {0, len(totals) - 1}
    for begin in range(0, len(totals), width):
        column = range(begin, min(begin + width, len(totals)))
        kept |= {min(column, key=totals.__getitem__), max(column, key=totals.__getitem__)}
    return sorted(kept)


def stairs(places: list[int], levels: list[float]) -> list[tuple[float, float]]:
    """The corners of a curve that holds each level until the next place, without those where nothing turns."""
    corners: list[tuple[float, float]] = [(places[0], levels[0])]
    for place, level in zip(places[1:], levels[1:]):
        if level != corners[-1][1]:
            corners += [(place, corners[-1][1]), (place, level)]
    return [*corners, (places[-1], corners[-1][1])]


def draw_bands(axes: Axes, step: Step) -> None:
    events = step.phases[-1][2]
    for name, begin, end in step.phases:
        if end - begin < 0.004 * events:
            continue
        axes.axvspan(begin, end, facecolor=BANDS.get(name, "#FFFFFF"), linewidth=0, zorder=0)
        if end - begin > 0.03 * events:
            axes.annotate(name, ((begin + end) / 2, 1), xycoords=("data", "axes fraction"), xytext=(0, -4), textcoords="offset points",
                          ha="center", va="top", fontsize=8, color=INK)


def draw_peak(axes: Axes, step: Step, size: int) -> None:
    at, peak = step.peak()
    axes.plot([at], [peak / size], marker="o", color=INK, markersize=5, zorder=5)
    axes.axhline(peak / size, color=INK, linewidth=0.8, linestyle=":", zorder=4)
    late = at > 0.6 * step.phases[-1][2]
    axes.annotate(f"peak {size_text(peak)}", (at, peak / size), xytext=(-8 if late else 8, 5), textcoords="offset points",
                  ha="right" if late else "left", fontsize=8.5, fontweight="bold")


def draw_panel(axes: Axes, row: Row, step: Step, unit: tuple[str, int], top: int) -> None:
    name, size = unit
    kept = thinned(step)
    floor = [0.0] * len(kept)
    for alive, (colour, hatch) in zip(step.alive, LOOKS):
        ceiling = [low + alive[event] / size for low, event in zip(floor, kept)]
        if max(alive):
            outline = [*stairs(kept, floor), *reversed(stairs(kept, ceiling))]
            axes.add_patch(Polygon(outline, facecolor=colour, hatch=hatch, edgecolor=HATCH_COLOUR, linewidth=0, zorder=2))
        floor = ceiling
    draw_bands(axes, step)
    draw_peak(axes, step, size)
    axes.set_xlim(0, step.phases[-1][2])
    axes.set_ylim(0, 1.17 * top / size)
    axes.set_ylabel(f"requested bytes alive ({name})", fontsize=8)
    axes.set_xlabel("events of the allocator in this step, in order (an order only: nothing was timed)", fontsize=8)
    panel_title(axes, f"{row.model} {DOT} {row.technique}", f"batch {row.attributes.get('batch', '?')}, {row.attributes.get('precision', '?')}")
    grid_lines(axes, "y")


def steps_of(sources: Sources) -> list[tuple[Row, Step]]:
    if sources.capture is None:
        raise RecordsError("a timeline needs the events of a step: highwater capture --into FOLDER, then --capture FOLDER")
    rows = {row.cell: row for row in sources.run().rows if row.outcome == "measured"}
    found = []
    for cell, path in capture_cells(sources.capture).items():
        row = rows.get(cell)
        if row is None or (sources.models and row.model not in sources.models) or sources.device not in (None, row.device):
            continue
        step = last_step(path)
        if step.peak()[1] != row.metrics.get(REQUESTED):
            raise RecordsError(f"{path}: its last step peaks at {step.peak()[1]} requested bytes, but the record of {cell} says "
                               f"{row.metrics.get(REQUESTED)}: they are not of one version")
        found.append((row, step))
    if not found:
        raise RecordsError(f"no cell of {sources.capture} was measured in this run, so nothing says what the events belong to")
    return sorted(found, key=lambda pair: (pair[0].model, pair[0].technique != "baseline"))


def draw(sources: Sources) -> Figure:
    steps, records = steps_of(sources), sources.run()
    device = steps[0][0].device
    head = Head("One training step, event by event", (
        f"{device_text(records, device)} {DOT} {settings_text([row for row, _ in steps])}",
        "Peak: the most bytes that the program had asked for at one instant of the last step (peak_requested_bytes of the record; the "
        "allocator rounds each block up a little). Colour: where in the training loop a block was born, which says what it holds."))
    present = [index for index in range(len(BIRTHS)) if any(max(step.alive[index]) for _, step in steps)]
    top = max(step.peak()[1] for _, step in steps)
    figure, grid = canvas(head, 2.1, len(steps), 1, left=0.75, top=1.05, bottom=0.5, gap=0.95)
    for axes, (row, step) in zip(grid.flat, steps):
        draw_panel(axes, row, step, unit_of(top), top)
    handles = [Patch(facecolor=LOOKS[index][0], hatch=LOOKS[index][1] * 2, edgecolor=HATCH_COLOUR, linewidth=0, label=BIRTHS[index])
               for index in present]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.004, 1 - (head.inches() + 0.02) / figure.get_figheight()), ncols=3,
                  frameon=False, fontsize=7.8, handlelength=1.8, handleheight=1.1, columnspacing=1.2, borderaxespad=0)
    return figure


FIGURE = FigureKind("timeline", "How memory rises and falls within one training step.",
                    "What stands at the dot is what a technique must take away; what stands elsewhere costs nothing.", draw)
