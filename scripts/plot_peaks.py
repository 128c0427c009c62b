#!/usr/bin/env python3
"""Draw a run's memory peaks: one bar per technique, stacked by category, one panel per model.

    plot_peaks.py RECORDS [--output FOLDER] [--device DEVICE]

Writes peaks.svg and peaks.png, by default beside the records; the same records give the same SVG byte
for byte. Exit codes: 0 drawn, 1 could not be written, 2 the records or the arguments cannot be used.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from pathlib import Path

try:
    import matplotlib
except ImportError:
    print("highwater: error: this Python has no matplotlib; scripts/setup.sh installs one, and scripts/run.sh uses it", file=sys.stderr)
    sys.exit(2)

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from records import PEAK, Records, RecordsError, Row, read_records

# Okabe and Ito's colours, told apart by colour-blind readers; the hatch tells them apart in print.
# The order is that of the stack, and it never changes, so that figures can be laid side by side.
CATEGORIES: dict[str, tuple[str, str, str]] = {
    "parameters": ("parameters", "#0072B2", ""),
    "gradients": ("gradients", "#E69F00", "//"),
    "optimizer_state": ("optimizer state", "#009E73", "\\\\"),
    "buffers": ("buffers", "#000000", ""),
    "inputs": ("inputs", "#F0E442", ".."),
    "saved_activations": ("saved activations", "#D55E00", "xx"),
    "temporaries": ("temporaries", "#56B4E9", "--"),
    "workspaces": ("workspaces", "#CC79A7", "||"),
    "unattributed": ("unattributed", "#999999", ""),
}
HATCH_COLOUR = "#FFFFFF"
NO_BAR = ("#F4F4F4", "#C8C8C8")  # face and hatch of a row without a bar
GIB, MIB = 2**30, 2**20

PANEL_COLUMNS = 2
ROW_INCHES = 0.46  # room for a label of three lines
LABEL_LINE_INCHES = 0.14
BAR_HEIGHT = 0.72  # of a row
FIGURE_WIDTH = 13.0
LABEL_INCHES = 2.35
HEAD_INCHES = 1.75
FOOT_INCHES = 0.15
GAP_INCHES = 1.0  # between the rows of panels: axis label below, title above

STYLE = {
    "svg.hashsalt": "highwater",
    "font.family": "DejaVu Sans",  # ships with matplotlib, so every machine has it
    "font.size": 9,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}

PEAK_MEANING = {
    "cpu": "Peak: the most bytes that LibTorch's CPU kernels held at one instant of a steady training step "
           "(logical bytes, counted by the allocator).",
    "sim": "Peak: the most bytes allocated at one instant of a steady training step, by LibTorch's own caching "
           "allocator on a simulated GPU.",
    "cuda": "Peak: the most bytes allocated at one instant of a steady training step, by LibTorch's caching "
            "allocator on the GPU.",
}


def choose_device(records: Records, wanted: str | None) -> str:
    devices = records.devices()
    if wanted is None:
        return next((device for device in devices if device != "cpu"), devices[0])
    if wanted not in devices:
        raise RecordsError(f"the run has no device '{wanted}'; it has: {', '.join(devices)}")
    return wanted


def panels_of(rows: list[Row]) -> dict[tuple[str, str, str], dict[str, Row]]:
    """(model, preset, settings) -> technique -> row, in the order of the records."""
    panels: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        panels.setdefault((row.model, row.preset, row.settings()), {})[row.technique] = row
    return panels


# --- one panel ---------------------------------------------------------------------------------


def technique_label(technique: str) -> str:
    """A composition breaks at its plus signs, two techniques a line at most."""
    lines, current = [], ""
    for name in technique.split("+"):
        joined = f"{current} + {name}" if current else name
        if current and len(joined) > 34:
            lines.append(current + " +")
            joined = name
        current = joined
    return "\n".join([*lines, current])


def unit_of(widest: int) -> tuple[str, int]:
    """One unit for a panel's axis and labels; MiB only where GiB would show nothing but zeros."""
    return ("GiB", GIB) if widest >= GIB / 10 or widest == 0 else ("MiB", MIB)


def change_text(row: Row, baseline: Row | None) -> str:
    if baseline is None or baseline is row or baseline.outcome != "measured" or baseline.metrics[PEAK] == 0:
        return ""
    percent = 100 * (row.metrics[PEAK] / baseline.metrics[PEAK] - 1)
    return f"  {percent:+.1f} %".replace("-", "\N{MINUS SIGN}")


def size_text(number: float, unit: str) -> str:
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
    label = " to ".join(dict.fromkeys(size_text(end, name) for end in sorted(ends)))
    axes.annotate(label + change_text(row, baseline), (max(ends), position), xytext=(5, 0),
                  textcoords="offset points", va="center", fontsize=8.5)


def draw_reason(axes: Axes, position: int, text: str) -> None:
    """A row without a bar: never blank, so that it cannot be taken for zero bytes."""
    axes.barh(position, 1, height=BAR_HEIGHT, transform=axes.get_yaxis_transform(), color=NO_BAR[0], hatch="////",
              edgecolor=NO_BAR[1], linewidth=0)
    lines = textwrap.wrap(text, 84, max_lines=2, placeholder=" \N{HORIZONTAL ELLIPSIS}")
    axes.text(0.012, position, "\n".join(lines), transform=axes.get_yaxis_transform(), va="center", fontsize=7.5,
              linespacing=1.05, bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"})


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
    precision = known["precision"] or "fp32 unless the technique says otherwise"
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
    axes.set_xlim(0, (widest / unit[1] or 1) * 1.36)  # room for the longest label behind the longest bar
    axes.set_ylim(len(techniques) - 0.5, -0.5)
    axes.set_xlabel(f"peak allocated ({unit[0]})")
    axes.set_title(next(iter(cells.values())).model, loc="left", fontsize=11, fontweight="bold", pad=20)
    axes.annotate(panel_subtitle(list(cells.values())), (0, 1), xytext=(0, 6), xycoords="axes fraction",
                  textcoords="offset points", fontsize=8.5, color="#444444")
    axes.set_yticks(range(len(techniques)), [technique_label(name) for name in techniques],
                    linespacing=0.95, fontsize=8.5)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.grid(True, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)


# --- the whole figure --------------------------------------------------------------------------


def headline(records: Records, device: str) -> list[str]:
    facts, kind = records.facts(device), device.split(":")[0]
    stated = [f"Device: {device}" + (" (simulated: no real card ran)" if kind == "sim" else "")]
    if "device" in facts and facts["device"] != device:
        stated.append(str(facts["device"]))
    stated.append(f"LibTorch {facts.get('torch', records.header.get('versions', {}).get('torch', 'unknown'))}")
    stated += [f"{name} {records.header[name]}" for name in ("suite", "created") if name in records.header]
    meaning = PEAK_MEANING.get(kind, PEAK_MEANING["cuda"])
    return ["   \N{MIDDLE DOT}   ".join(stated), meaning + " Colours: what held them at that instant."]


def draw_legend(figure: Figure, rows: list[Row], top: float) -> None:
    present = {name for row in rows if row.outcome == "measured" for name, size in row.parts().items() if size > 0}
    handles: list[Patch | Line2D] = [Patch(facecolor=colour, hatch=hatch * 2, edgecolor=HATCH_COLOUR, linewidth=0, label=label)
               for name, (label, colour, hatch) in CATEGORIES.items() if name in present]
    if any(row.high for row in rows):
        handles.append(Line2D((), (), color="black", linewidth=1, marker="|", label="to the high end"))
    if any(row.outcome != "measured" for row in rows):
        handles.append(Patch(facecolor=NO_BAR[0], hatch="////", edgecolor=NO_BAR[1], linewidth=0, label="no measurement"))
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.004, top), ncols=len(handles), frameon=False,
                  handlelength=1.8, handleheight=1.2, columnspacing=1.4, borderaxespad=0)


def draw(records: Records, device: str) -> Figure:
    rows = [row for row in records.rows if row.device == device]
    panels = panels_of(rows)
    techniques = list(dict.fromkeys(row.technique for row in rows))
    columns = min(PANEL_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    longest = max(technique_label(name).count("\n") + 1 for name in techniques)
    panel = len(techniques) * max(ROW_INCHES, longest * LABEL_LINE_INCHES + 0.04)
    height = HEAD_INCHES + lines * (panel + GAP_INCHES) + FOOT_INCHES
    figure, grid = pyplot.subplots(lines, columns, figsize=(FIGURE_WIDTH, height), sharey=True, squeeze=False)
    figure.subplots_adjust(left=LABEL_INCHES / FIGURE_WIDTH, right=0.985, top=1 - HEAD_INCHES / height,
                           bottom=(FOOT_INCHES + 0.5) / height, hspace=GAP_INCHES / panel, wspace=0.06)
    for axes, cells in zip(grid.flat, panels.values()):
        draw_panel(axes, cells, techniques)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    figure.text(0.008, 1 - 0.14 / height, "Training memory at its peak, by technique", fontsize=15, fontweight="bold", va="top")
    figure.text(0.008, 1 - 0.50 / height, "\n".join(headline(records, device)), fontsize=9, va="top", linespacing=1.5)
    draw_legend(figure, rows, 1 - 1.0 / height)
    return figure


def check_categories(rows: list[Row]) -> None:
    for row in rows:
        unknown = set(row.parts()) - set(CATEGORIES) if row.outcome == "measured" else set()
        if unknown:
            raise RecordsError(f"{row.cell} has a category this script does not know: {', '.join(sorted(unknown))}")


def save(figure: Figure, folder: Path) -> None:
    """Write beside, then rename: a figure is whole or the old one."""
    for name, metadata in (("peaks.svg", {"Date": None}), ("peaks.png", {})):
        partial = folder / f".{name}.partial"
        figure.savefig(partial, format=name[-3:], metadata=metadata, dpi=150)
        os.replace(partial, folder / name)
        print(f"highwater: drew {folder / name}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Draw a run's memory peaks, stacked by category.")
    parser.add_argument("records", type=Path, help="a run's records.jsonl")
    parser.add_argument("--output", type=Path, help="folder for peaks.svg and peaks.png (default: that of the records)")
    parser.add_argument("--device", help="draw this device's rows (default: the first one that is not the cpu)")
    options = parser.parse_args(arguments)
    try:
        records = read_records(options.records)
        check_categories(records.rows)
        with pyplot.rc_context(STYLE):
            save(draw(records, choose_device(records, options.device)), options.output or options.records.parent)
    except RecordsError as error:
        print(f"highwater: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"highwater: error: the figure could not be written: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
