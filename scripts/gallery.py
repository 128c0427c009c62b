"""The pictures of docs/figures.md and the README, drawn from the committed records (called by generated_docs.py)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from baseline_history import Move, read_history
from figures import all_figures
from figures.figure import Sources
from figures.style import STYLE, save
from records import read_merged

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "results" / "published"
FOLDER = ROOT / "docs" / "figures"
MOST_BYTES = 200_000  # of a picture: pages with eight of them must still load


@dataclass(frozen=True)
class Picture:
    file: str  # without extension
    figure: str
    records: tuple[str, ...]  # below results/published
    from_what: str  # in words
    models: tuple[str, ...] = ()
    listed: bool = True  # in docs/figures.md


PICTURES = (
    Picture("peaks", "peaks", ("default.jsonl",), "`results/published/default.jsonl`"),
    Picture("peaks_readme", "peaks", ("default.jsonl",), "", models=("gpt2-small", "resnet50"), listed=False),
    Picture("timeline", "timeline", ("full.jsonl",), "`results/published/full.jsonl` and the events of one step in `results/published/steps/`"),
    Picture("batch", "batch", ("batches.jsonl",), "`results/published/batches.jsonl`, eight runs with `--batch`"),
    Picture("heatmap", "heatmap", ("full.jsonl",), "`results/published/full.jsonl`"),
    Picture("tradeoff", "tradeoff", ("default.jsonl",),
            "`results/published/default.jsonl`: times are those of the small twins on the cpu, because a simulated GPU has none"),
    Picture("budget", "budget", ("default.jsonl",), "`results/published/default.jsonl`, the twins on the cpu too"),
    Picture("history", "history", ("default.jsonl",), "`results/published/history.jsonl`, which is what git says of `results/baselines`"),
    Picture("gate", "gate", ("default.jsonl",), "`results/published/default.jsonl` against the baselines as they were before each row's last "
            "accepted move, because against those of today nothing differs"),
)


def why_not() -> str:
    """Why this matplotlib draws no picture that could be compared; empty where it does."""
    pinned = re.search(r"matplotlib==([\w.]+)", (ROOT / "cmake" / "versions.env").read_text(encoding="utf-8"))
    found = str(matplotlib.__version__)
    return "" if pinned is None or found == pinned[1] else f"matplotlib is {found} and not {pinned[1]}"


def baselines_before(moves: tuple[Move, ...]) -> dict[str, dict[str, int]]:
    """testbed -> cell -> what was accepted before the row's last move; of a row that never moved, what is."""
    found: dict[str, dict[str, int]] = {}
    for move in moves:
        found.setdefault(move.testbed, {})[move.cell] = move.after if move.before is None else move.before
    return found


def sources_of(picture: Picture, moves: tuple[Move, ...]) -> Sources:
    return Sources(records=read_merged([PUBLISHED / name for name in picture.records]), models=picture.models, moves=moves,
                   baselines=baselines_before(moves), baseline_name="the baselines before their last accepted move",
                   capture=PUBLISHED / "steps")


def pictures() -> dict[str, bytes]:
    """File name -> SVG."""
    moves, kinds = read_history(PUBLISHED / "history.jsonl"), all_figures()
    drawn = {}
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(STYLE):
        for picture in PICTURES:
            figure = kinds[picture.figure].draw(sources_of(picture, moves))
            [path] = save(figure, Path(folder), picture.file, ("svg",))
            drawn[path.name] = path.read_bytes()
    return drawn


def text() -> str:
    """What docs/figures.md shows of each."""
    kinds, parts = all_figures(), []
    for picture in PICTURES:
        if picture.listed:
            kind = kinds[picture.figure]
            parts.append(f"## {kind.name}\n\n{kind.shows} {kind.read_it}\n\n![{kind.shows}](figures/{picture.file}.svg)\n\nFrom {picture.from_what}.\n")
    return "\n".join(parts)


def stale(write: Callable[[Path, bytes], None] | None) -> list[str]:
    """Pictures that the committed records do not give; with `write` they are written."""
    found = []
    for name, data in pictures().items():
        path = FOLDER / name
        if len(data) > MOST_BYTES:
            raise ValueError(f"{name} has {len(data)} bytes, and more than {MOST_BYTES} load slowly: draw less in it")
        if not path.is_file() or path.read_bytes() != data:
            found.append(str(path.relative_to(ROOT)))
            if write:
                write(path, data)
    return found
