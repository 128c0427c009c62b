"""How all figures look, and what stands above each of them."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from records import Records, Row
from slim_svg import slim

GIB, MIB, KIB = 2**30, 2**20, 2**10
MINUS, DOT, TIMES = "\N{MINUS SIGN}", "\N{MIDDLE DOT}", "\N{MULTIPLICATION SIGN}"

# Okabe and Ito's colours, told apart by colour-blind readers.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW, BLACK, GREY = "#56B4E9", "#CC79A7", "#F0E442", "#000000", "#999999"

# The hatch tells categories apart in print. The order is that of every stack, and it never changes, so that figures can
# be laid side by side.
CATEGORIES: dict[str, tuple[str, str, str]] = {
    "parameters": ("parameters", BLUE, ""),
    "gradients": ("gradients", ORANGE, "//"),
    "optimizer_state": ("optimizer state", GREEN, "\\\\"),
    "buffers": ("buffers", BLACK, ""),
    "inputs": ("inputs", YELLOW, "++"),  # no dots: their pattern alone is 200 kB of SVG
    "saved_activations": ("saved activations", VERMILION, "xx"),
    "temporaries": ("temporaries", SKY, "--"),
    "workspaces": ("workspaces", PURPLE, "||"),
    "unattributed": ("unattributed", GREY, ""),
}
HATCH_COLOUR = "#FFFFFF"
NO_VALUE = ("#F4F4F4", "#C8C8C8")  # face and hatch of what was not measured
INK, SOFT, GRID = "#222222", "#555555", "#E2E2E2"

# One technique keeps one look in every panel.
SERIES = ((BLACK, "o"), (BLUE, "s"), (VERMILION, "D"), (GREEN, "^"), (ORANGE, "v"), (PURPLE, "P"), (SKY, "X"), (GREY, "*"))

WIDTH = 9.6  # inches: at the width of a README page 9 points are still read
STYLE: dict[str, Any] = {
    "svg.hashsalt": "highwater",
    # Text stays text: it can be searched, and a heat map of 1,000 numbers stays small. Verdana is as wide as DejaVu Sans,
    # which ships with matplotlib, and is there where that is not.
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": "#AAAAAA",
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.facecolor": "white",
    "figure.dpi": 100,
}

PEAK_MEANING = {
    "cpu": "Peak: the most bytes that LibTorch's CPU kernels held at one instant of a steady training step "
           "(logical bytes, counted by the allocator).",
    "sim": "Peak: the most bytes allocated at one instant of a steady training step, by LibTorch's own caching "
           "allocator on a simulated GPU.",
    "cuda": "Peak: the most bytes allocated at one instant of a steady training step, by LibTorch's caching "
            "allocator on the GPU.",
}


def peak_meaning(device: str) -> str:
    return PEAK_MEANING.get(device.split(":")[0], PEAK_MEANING["cuda"])


def size_text(number: float) -> str:
    """In binary units, three figures or so."""
    size = abs(number)
    unit, name = next((pair for pair in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")) if size >= pair[0]), (1, "B"))
    text = f"{number / unit:.0f}" if unit == 1 or size / unit >= 100 else f"{number / unit:.2f}" if unit == GIB else f"{number / unit:.1f}"
    return f"{text} {name}".replace("-", MINUS)


def percent_text(ratio: float, digits: int = 1) -> str:
    return f"{100 * (ratio - 1):+.{digits}f} %".replace("-", MINUS)


def unit_of(widest: float) -> tuple[str, int]:
    """One unit for an axis and its labels; a smaller one only where the larger would show nothing but zeros."""
    return ("GiB", GIB) if widest >= GIB / 10 or widest == 0 else ("MiB", MIB) if widest >= MIB / 10 else ("KiB", KIB)


def only(rows: list[Row], key: str) -> str | None:
    """What all rows that know it say."""
    said = {str(row.attributes[key]) for row in rows if key in row.attributes}
    return said.pop() if len(said) == 1 else None


def settings_text(rows: list[Row]) -> str:
    """Batch and precision, as far as the rows agree."""
    batch, precision = only(rows, "batch"), only(rows, "precision")
    presets = " and ".join(sorted({row.preset for row in rows if row.preset}))
    return (f"batch {batch}" if batch else f"batch: each row's own (preset {presets})") + f" {DOT} " + (
        precision or "fp32 unless the technique says otherwise")


def device_text(records: Records, device: str) -> str:
    facts = records.facts(device)
    name = facts.get("device_name") or (facts.get("device") if facts.get("device") != device else "")
    simulated = "simulated: no real card ran" if device.startswith("sim:") else ""
    notes = ", ".join(str(note) for note in (name, simulated) if note)
    torch = facts.get("torch", records.header.get("versions", {}).get("torch", "unknown"))
    return f"Device: {device}" + (f" ({notes})" if notes else "") + f" {DOT} LibTorch {torch}"


@dataclass(frozen=True)
class Head:
    """What stands above a figure: never without device, LibTorch, batch, precision and the meaning of "peak"."""

    title: str
    lines: tuple[str, ...]

    def wrapped(self) -> list[str]:
        return [part for line in self.lines for part in textwrap.wrap(line, 150)]

    def inches(self) -> float:
        return 0.5 + 0.165 * len(self.wrapped())

    def draw(self, figure: Figure) -> None:
        height = figure.get_figheight()
        figure.text(0.012, 1 - 0.1 / height, self.title, fontsize=13.5, fontweight="bold", va="top")
        figure.text(0.012, 1 - 0.41 / height, "\n".join(self.wrapped()), fontsize=8.2, va="top", linespacing=1.35, color=SOFT)


def head_of(title: str, records: Records, device: str, rows: list[Row], *more: str) -> Head:
    facts = f"{device_text(records, device)} {DOT} {settings_text(rows)}"
    return Head(title, (facts, peak_meaning(device), *more))


def canvas(head: Head, body: float, rows: int = 1, columns: int = 1, *, left: float = 0.9, right: float = 0.25, top: float = 0.35,
           bottom: float = 0.5, gap: float = 0.8, between: float = 0.6, sharey: bool = False, sharex: bool = False,
           ) -> tuple[Figure, numpy.ndarray[Any, Any]]:
    """A figure of fixed width with its head; `body` is one panel's height, all measures are inches."""
    height = head.inches() + top + rows * body + (rows - 1) * gap + bottom
    figure = Figure(figsize=(WIDTH, height))
    panel = (WIDTH - left - right - (columns - 1) * between) / columns
    grid = figure.subplots(rows, columns, squeeze=False, sharey=sharey, sharex=sharex)
    figure.subplots_adjust(left=left / WIDTH, right=1 - right / WIDTH, top=1 - (head.inches() + top) / height,
                           bottom=bottom / height, hspace=gap / body, wspace=between / panel)
    head.draw(figure)
    return figure, grid


def panel_title(axes: Axes, title: str, subtitle: str = "") -> None:
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold", pad=18 if subtitle else 6)
    if subtitle:
        axes.annotate(subtitle, (0, 1), xytext=(0, 5), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=SOFT)


def grid_lines(axes: Axes, axis: str = "both") -> None:
    axes.grid(True, axis=axis, color=GRID, linewidth=0.6)  # type: ignore[arg-type]
    axes.tick_params(length=0)


def save(figure: Figure, folder: Path, name: str, forms: tuple[str, ...] = ("svg", "png")) -> list[Path]:
    """Writes beside, then renames: a figure is whole or the old one. The same figure gives the same bytes."""
    written = []
    for form in forms:
        target, partial = folder / f"{name}.{form}", folder / f".{name}.{form}.partial"
        metadata = {"Date": None, "Creator": "highwater plot"} if form == "svg" else {"Software": "highwater plot"}
        figure.savefig(partial, format=form, metadata=metadata, dpi=150)
        if form == "svg":
            partial.write_text(slim(partial.read_text(encoding="utf-8")), encoding="utf-8")
        os.replace(partial, target)
        written.append(target)
    return written
