"""A run whose every text is hostile and whose cells got every kind of verdict, for the conformance tests of exports.

They hold what `highwater export` writes against readers that are not ours, and against the records themselves. The
program is named by HIGHWATER_PROGRAM.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

try:
    import fastjsonschema
    import junitparser
except ImportError as error:
    print(f"skipped: {error}; run scripts/setup.sh")
    sys.exit(77)

Json = dict[str, Any]
PEAK = "peak_allocated_bytes"
HOSTILE = "</code>\"'<img src=x onerror=a>&amp;@you #1 https://e.test [l](//e) `|` *b* ]]>\n\n# h\r\n,;\t\x1b[31m\x01\u202e\ufffe é漢"
# A name in a cell's id may hold all but slashes and control characters.
HOSTILE_NAME = "".join(letter for letter in HOSTILE if letter >= " ").replace("/", "\u2215")
PHASES = {f"{phase}_peak_allocated_bytes": size << 30 for phase, size in
          (("zero_grad", 1), ("forward", 5), ("backward", 6), ("optimizer", 4))}


def identity(technique: str) -> str:
    return f"m/full/{technique}/sim:h200"


def header(suite: str = "default") -> Json:
    return {"schema": "highwater.records/3", "suite": suite, "created": HOSTILE,
            "testbed": {"sim:h200": {"id": "bed", "facts": {"torch": HOSTILE}}},
            "versions": {"highwater": HOSTILE}, "settings": {}}


def cell(technique: str, outcome: str = "measured", **fields: Any) -> Json:
    metrics = {PEAK: 6 << 30, "peak_reserved_bytes": 7 << 30, "leak_bytes": 0, "rest_allocated_bytes": 1 << 30,
               "device_skew_bytes": -512, "parameters_bytes": 2**53 + 1, **PHASES}
    measured = outcome == "measured"
    return {"cell": identity(technique), "model": "m", "preset": "full", "technique": technique,
            "device": "sim:h200", "outcome": outcome, "reason": "" if measured else HOSTILE,
            "certainty": {"measured": "exact", "refused": "refused"}.get(outcome),
            "metrics": metrics if measured else {}, "high": {},
            "attributes": {"peak_phase": "backward", "steady": "true", "note": HOSTILE} if measured else {},
            "numerics": None, "prediction": {}, "promises": [], **fields}


def with_peak(row: Json, peak: int) -> Json:
    return row | {"metrics": row["metrics"] | {PEAK: peak}}


BEFORE = [cell("baseline"), cell("grown"), cell("shrunk"), cell("gone"), cell(f"lost {HOSTILE_NAME}"), cell("bounded")]
AFTER = [cell("baseline"), with_peak(cell("grown"), 8 << 30), with_peak(cell("shrunk"), 5 << 30),
         cell("bounded", certainty="bounded", high={PEAK: 7 << 30, "forward_peak_allocated_bytes": 9 << 30}),
         cell(HOSTILE_NAME), cell("unsteady", attributes={"steady": "false"}),
         *(cell(kind, kind) for kind in ("skipped", "refused", "failed", "out_of_memory", "incorrect", "timed_out"))]
VERDICTS = {"baseline": "unchanged", "grown": "regressed", "shrunk": "improved", "bounded": "unchanged",
            HOSTILE_NAME: "new", "unsteady": "unsteady", "skipped": "skipped", "refused": "refused", "failed": "failed",
            "out_of_memory": "failed", "incorrect": "failed", "timed_out": "failed", "gone": "missing",
            f"lost {HOSTILE_NAME}": "missing"}
MEASURED = [row for row in AFTER if row["outcome"] == "measured"]


def values(row: Json) -> dict[str, int]:
    """All numbers of a row, by the names that they have in exports."""
    return row["metrics"] | {f"{metric}_high": high for metric, high in row["high"].items()}


def refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


class ExportTest(unittest.TestCase):
    """Exports of AFTER, judged against BEFORE."""

    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        for name, rows in (("before", BEFORE), ("after", AFTER)):
            lines = [json.dumps(line) + "\n" for line in (header(), *rows)]
            (cls.folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        cls.highwater("baseline", "accept", "before.jsonl", "--baselines", "accepted", "--reason", "first")

    @classmethod
    def highwater(cls, *arguments: str) -> bytes:
        program = Path(os.environ["HIGHWATER_PROGRAM"]).resolve()
        return subprocess.run([program, *arguments], cwd=cls.folder, capture_output=True, timeout=60).stdout

    def exported(self, name: str) -> bytes:
        return self.highwater("export", "after.jsonl", "--baselines", "accepted", "--format", name)

    def exported_json(self, name: str, schema: str | None = None) -> Any:
        return self.validated(self.exported(name), schema or name)

    def validated(self, text: bytes, schema: str) -> Any:
        """Held against the schema of that name, by somebody else's validator."""
        value = json.loads(text, parse_constant=refuse_constant)
        path = Path(__file__).parent / "schema" / f"{schema}.schema.json"
        fastjsonschema.validate(json.loads(path.read_text(encoding="utf-8")), value)
        return value
