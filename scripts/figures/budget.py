"""Budget against overhead: for every memory limit the least slowdown that fits into it."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.figure import FigureKind, Sources
from figures.style import DOT, GREY, NO_VALUE, TIMES, grid_lines, head_of
from figures.tradeoff import TIME, draw_looks, looks_of, model_title, panel_grid, pareto, timed
from records import PEAK, Row


def steps_of(rows: list[Row], baseline: Row) -> list[tuple[float, float, str]]:
    """(budget from which it fits, overhead, technique) of the front, largest budget first; shares of baseline."""
    return [(row.metrics[PEAK] / baseline.metrics[PEAK], row.metrics[TIME] / baseline.metrics[TIME], row.technique)
            for row in pareto(rows)]


def draw_panel(axes: Axes, rows: list[Row], baseline: Row, looks: dict[str, tuple[str, str]]) -> None:
    steps = steps_of(rows, baseline)
    widest = max(1.12, 1.05 * steps[0][0])
    budgets = [widest, *(budget for budget, _, _ in steps)]
    times = [steps[0][1], *(time for _, time, _ in steps)]
    # Going down in budget, a step holds until its technique fits no longer.
    axes.step([100 * budget for budget in budgets], times, where="pre", color=GREY, linewidth=1.6)
    for budget, time, technique in steps:
        colour, marker = looks[technique]
        axes.plot(100 * budget, time, marker=marker, color=colour, markersize=8)
    axes.axvspan(0, 100 * steps[-1][0], facecolor=NO_VALUE[0], hatch="////", edgecolor=NO_VALUE[1], linewidth=0)
    axes.axvline(100, color="#888888", linewidth=0.8, linestyle=":")
    axes.set_yscale("log")
    axes.set_xlim(0, 100 * widest)
    axes.set_ylim(0.75 * min(times), 1.5 * max(times))
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if 0.75 * min(times) <= tick <= 1.5 * max(times)]
    axes.set_yticks(ticks, [f"{TIMES}{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("memory budget (% of baseline's peak)", fontsize=8)
    axes.set_ylabel("step time (baseline = 1)", fontsize=8)
    model_title(axes, rows)
    grid_lines(axes)


def draw(sources: Sources) -> Figure:
    device = sources.choose_device(timed, need="step times (a simulated GPU has none)")
    rows = [row for row in sources.rows(device) if timed(row)]
    baselines = {row.model: row for row in rows if row.technique == "baseline"}
    panels = {model: [row for row in rows if row.model == model] for model in baselines}
    looks = looks_of(rows)
    head = head_of("Memory budget against overhead", sources.run(), device, rows,
                   f"Line: of the techniques in this run that fit into the budget, the fastest one's step time over baseline's {DOT} "
                   f"hatched: none of them fits {DOT} dotted: baseline's own peak. Times of the twin on a cpu say nothing of a GPU's.")
    figure, grid, free = panel_grid(head, 1.75, len(panels))
    for axes, (model, baseline) in zip(grid.flat, baselines.items()):
        draw_panel(axes, panels[model], baseline, looks)
    used = {technique for model in panels for _, _, technique in steps_of(panels[model], baselines[model])}
    draw_looks(figure, grid, {name: look for name, look in looks.items() if name in used}, free)
    return figure


FIGURE = FigureKind("budget", "How much slower a step becomes when it must fit into less memory.",
                    "Find your budget on the x axis: the line above it is the price, the marker to its left what to switch on.", draw)
