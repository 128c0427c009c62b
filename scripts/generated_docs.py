#!/usr/bin/env python3
"""Writes what documents show of the published records, or with --check says which document shows something else.

    scripts/generated_docs.py build/bin/highwater [--check]

README.md gets one line a technique and one column a model; docs/results.md all tables of suite full; docs/published.md
the published numbers beside the simulated ones. These come from results/published/<suite>.jsonl: measure, copy the
records there, run this. docs/inspect.md gets an example, which the program makes; docs/noise.md the table of the noise.jsonl that lies
there too; docs/figures.md and docs/figures/*.svg the gallery. Each lies between the markers of its document. Pictures are left alone where this
Python has not the pinned matplotlib, because another one draws other bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

try:
    import gallery
except ImportError:
    gallery = None  # type: ignore[assignment]

from records import PEAK, Records, Row, read_records

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- generated:begin -->\n", "<!-- generated:end -->\n"
# One model of each kind, so that the table fits a page; docs/results.md has them all.
README_MODELS = ("resnet50", "vit-l16", "bert-large", "gpt2-small", "llama-1b", "lstm-lm", "dlrm")


def measured(records: Records) -> dict[tuple[str, str, str], Row]:
    return {(row.model, row.preset, row.technique): row for row in records.rows if row.outcome == "measured"}


def change(rows: dict[tuple[str, str, str], Row], row: Row) -> str:
    """Of the peak, against baseline in the same scenario; of a bounded row, the low end. NaN is no saving."""
    if "diverges" in row.attributes:
        return "diverges"
    before = rows[row.model, row.preset, "baseline"].metrics[PEAK]
    return f"{100 * (row.metrics[PEAK] - before) / before:+.1f} %"


def digest_line(rows: dict[tuple[str, str, str], Row], technique: str) -> str:
    found = [next((rows[key] for key in rows if key[0] == model and key[2] == technique), None)
             for model in README_MODELS]
    presets = {row.preset for row in found if row}
    scenario = "batch of 1" if presets == {"small"} else ""
    cells = [change(rows, row) if row else "" for row in found]
    return f"| [`{technique}`](docs/techniques.md#{technique}) | {scenario} | " + " | ".join(cells) + " |"


def digest(program: str) -> str:
    del program
    records = read_records(ROOT / "results/published/full.jsonl")
    rows = measured(records)
    techniques = sorted({row.technique for row in rows.values() if row.model in README_MODELS} - {"baseline"})
    peaks = [f"{rows[model, 'full', 'baseline'].metrics[PEAK] / 2**30:.2f} GiB" for model in README_MODELS]
    head = ["| technique | scenario | " + " | ".join(README_MODELS) + " |",
            "| --- | --- |" + " ---: |" * len(README_MODELS),
            "| peak of `baseline` | | " + " | ".join(peaks) + " |"]
    return "\n".join(head + [digest_line(rows, technique) for technique in techniques]) + "\n"


def report_section(program: str, suite: str, heading: str) -> str:
    report = subprocess.run([program, "report", f"results/published/{suite}.jsonl", "--format", "markdown"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return report.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0].strip() + "\n"


def example(program: str) -> str:
    command = ["inspect", "gpt2-small", "set_to_none", "--device", "sim:h200", "--depth", "1"]
    result = subprocess.run([program, *command], check=True, capture_output=True, text=True)
    return f"```\n$ highwater {' '.join(command)}\n{result.stdout}```\n"


def noise(program: str) -> str:
    command = [program, "noise", "--from", "results/published/noise.jsonl", "--format", "markdown"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Document:
    path: str
    text: Callable[[str], str]

    def wanted(self, program: str) -> str:
        before, rest = (ROOT / self.path).read_text(encoding="utf-8").split(BEGIN, 1)
        return before + BEGIN + "\n" + self.text(program) + "\n" + END + rest.split(END, 1)[1]


DOCUMENTS = (
    Document("README.md", digest),
    Document("docs/results.md", lambda program: report_section(program, "full", "Techniques, model by model")),
    Document("docs/published.md", lambda program: report_section(program, "published", "Published numbers, rebuilt")),
    Document("docs/inspect.md", example),
    Document("docs/noise.md", noise),
)


def no_pictures() -> str:
    """Why the gallery is left alone; empty where it is not."""
    return gallery.why_not() if gallery else "this Python has no matplotlib"


def documents() -> tuple[Document, ...]:
    return DOCUMENTS if no_pictures() else (*DOCUMENTS, Document("docs/figures.md", lambda program: gallery.text()))


def stale_pictures(check: bool) -> list[str]:
    if reason := no_pictures():
        print(f"the pictures of docs/figures.md were left alone: {reason}", file=sys.stderr)
        return []
    return gallery.stale(None if check else write)


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_bytes(data)
    temporary.replace(path)


def main(arguments: list[str]) -> int:
    program = os.path.abspath(arguments[0])
    wanted = {document.path: document.wanted(program) for document in documents()}
    stale = [path for path, text in wanted.items() if text != (ROOT / path).read_text(encoding="utf-8")]
    pictures = stale_pictures("--check" in arguments)
    if "--check" in arguments:
        stale += pictures
        for path in stale:
            print(f"{path} does not show what the program and the published records say; run "
                  f"scripts/generated_docs.py {arguments[0]}", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        write(ROOT / path, wanted[path].encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
