#!/usr/bin/env python3
"""Writes docs/techniques.md from the techniques' declarations and the committed records of suite full.

    scripts/techniques_doc.py build/bin/highwater [--check | --print] [--records FILE]

--check only says whether the file is up to date, --print writes it to standard output. Numbers come from the records
alone; without them an entry has none.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from records import PEAK, Records, RecordsError, Row, read_records

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "techniques.md"
RECORDS = ROOT / "results" / "published" / "full.jsonl"
# Of hundreds of rows an entry shows those of the models that suite default has too.
SHOWN_TAG = "default"

INTRODUCTION = """# Techniques

One entry for each technique that `highwater list techniques` knows, made from its declaration in `techniques/` by
`scripts/techniques_doc.py`. *Saves* is the change of the peak against technique `baseline` of the same model and preset
{source}; what a technique promises is held by the gate in every row. `small` is the preset
with few samples, in which parameters, gradients and optimizer state outweigh activations. How to run one:
`highwater run --model MODEL --technique NAME`; how to see where its memory goes: `highwater inspect MODEL NAME`
([inspect.md](inspect.md)). Techniques compose with `+`.
"""

NUMERICS = {
    "bit_equal": "the same gradients and weights as baseline, bit for bit",
    "tolerance": "gradients within {tolerance:g} (L2, relative) of baseline's",
    "different_by_design": "another computation by design: held to finite weights and a falling loss",
    "diverges": "diverges: weights stop being finite, and a run in which they do not is wrong",
}

Technique = dict[str, Any]


def listing(program: str, what: str) -> list[dict[str, Any]]:
    result = subprocess.run([program, "list", what, "--format", "json"], check=True, capture_output=True, text=True)
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def bytes_text(count: int) -> str:
    """As the program prints sizes."""
    for unit, size, digits in (("GiB", 1 << 30, 2), ("MiB", 1 << 20, 1), ("KiB", 1 << 10, 1)):
        if round(abs(count) / size, digits) >= 1:
            return f"{count / size:.{digits}f} {unit}"
    return f"{count} B"


def names_text(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def sentence(text: str) -> str:
    """With a capital, unless the first word is a name such as fp32."""
    first = text.split(" ", 1)[0]
    return (text[:1].upper() if first.isalpha() else text[:1]) + text[1:] + ("" if text.endswith(".") else ".")


def clashes(technique: Technique, techniques: list[Technique]) -> dict[str, list[str]]:
    """Field or "" (excluded by name) -> the techniques it keeps this one from being combined with."""
    found: dict[str, list[str]] = {}
    for other in techniques:
        if other["name"] == technique["name"]:
            continue
        shared = [edit for edit in technique["edits"] if edit in other["edits"]]
        excluded = other["name"] in technique["excludes"] or technique["name"] in other["excludes"]
        if shared or excluded:
            found.setdefault(shared[0] if shared else "", []).append(other["name"])
    return found


def clash_text(technique: Technique, techniques: list[Technique]) -> str:
    parts = [names_text(others) + (f" (both change `{field}`)" if field else "")
             for field, others in sorted(clashes(technique, techniques).items())]
    return "; ".join(parts)


def numerics_text(technique: Technique) -> str:
    return NUMERICS[technique["numerics"]].format(tolerance=technique["tolerance"])


def number_text(name: str, parameter: dict[str, Any]) -> str:
    if not parameter["name"]:
        return ""
    return (f"`{name}:{parameter['name']}`, {parameter['meaning']}: {parameter['smallest']} or more, "
            f"{parameter['value']} by its bare name")


class Measured:
    """What the records say about techniques, on simulated and real accelerators."""

    def __init__(self, records: Records | None, models: list[str]) -> None:
        rows = records.rows if records else []
        self.rows = [row for row in rows if row.device != "cpu" and row.outcome == "measured" and row.model in models]
        self.by_cell = {row.cell: row for row in rows}

    def baseline(self, row: Row) -> Row | None:
        before = self.by_cell.get(row.cell.replace(f"/{row.technique}/", "/baseline/", 1))
        return before if before and before.outcome == "measured" else None

    def pairs(self, technique: str) -> list[tuple[Row, Row]]:
        found = [(row, self.baseline(row)) for row in self.rows if row.technique == technique]
        return [(row, before) for row, before in found if before is not None and before is not row]

    def savings(self, technique: str) -> list[str]:
        texts = []
        for row, before in self.pairs(technique):
            if "diverges" in row.attributes:  # a model that is lost saves nothing
                continue
            change = row.metrics[PEAK] - before.metrics[PEAK]
            share = 100 * change / before.metrics[PEAK]
            size = "0 B" if change == 0 else f"{'+' if change > 0 else '-'}{bytes_text(abs(change))}"
            texts.append(f"{row.model} {size} ({share:+.1f} %)")
        return texts

    def promises(self, technique: str) -> list[str]:
        texts = []
        for row, before in self.pairs(technique):
            for promise in row.promises:
                metric = promise["metric"]
                saved = before.metrics[metric] - row.metrics[metric]
                texts.append(f"{row.model} at least {bytes_text(promise['minimum_saving_bytes'])} of `{metric}`, "
                             f"and saved {bytes_text(saved)}")
        return texts


def facts(technique: Technique, techniques: list[Technique], measured: Measured) -> list[tuple[str, str]]:
    name = technique["name"]
    relieves = technique["relieves"].replace("_", " ")
    return [
        ("When", technique["when"]),
        ("Relieves", f"{relieves}, where that is the peak: preset `{technique['scenario']}`" if relieves else ""),
        ("Saves", "; ".join(measured.savings(name))),
        ("Promises", "; ".join(measured.promises(name))),
        ("Costs", technique["cost"]),
        ("Numerics", numerics_text(technique)),
        ("Leaks", "by design: an anti-pattern, and a run that does not leak is wrong" if technique["leaks"] else ""),
        ("Takes a number", number_text(name, technique["parameter"])),
        ("Edits", names_text(technique["edits"])),
        ("Takes hold of", names_text(technique["needs"])),
        ("Does not combine with", clash_text(technique, techniques)),
        ("On the CPU", f"nothing: {technique['not_on_cpu']}" if technique["not_on_cpu"] else ""),
        ("Source", technique["source"]),
    ]


def entry(technique: Technique, techniques: list[Technique], measured: Measured) -> str:
    lines = [f"- **{label}**: {text}" for label, text in facts(technique, techniques, measured) if text]
    return f"\n## {technique['name']}\n\n{sentence(technique['summary'])}\n\n" + "\n".join(lines) + "\n"


def document(program: str, path: Path) -> str:
    techniques = listing(program, "techniques")
    models = [model["name"] for model in listing(program, "models") if SHOWN_TAG in model["tags"]]
    records = read_records(path) if path.exists() else None
    measured = Measured(records, models)
    source = f"in `results/published/{path.name}`" if records else "(no record of suite full is committed yet)"
    return INTRODUCTION.format(source=source) + "".join(entry(t, techniques, measured) for t in techniques)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write docs/techniques.md from the declarations.")
    parser.add_argument("program")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--print", action="store_true")
    options = parser.parse_args(arguments)
    try:
        wanted = document(os.path.abspath(options.program), options.records)
    except RecordsError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 2
    if options.print:
        print(wanted, end="")
        return 0
    is_current = options.output.exists() and options.output.read_text() == wanted
    if options.check and not is_current:
        print(f"{options.output.name} does not say what the declarations say; run "
              f"scripts/techniques_doc.py {options.program}", file=sys.stderr)
        return 1
    if not options.check:
        temporary = options.output.with_suffix(".new")
        temporary.write_text(wanted)
        temporary.replace(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
