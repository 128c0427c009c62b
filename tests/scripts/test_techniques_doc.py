"""docs/techniques.md: what its script makes of declarations and records."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from typing import Any

from support import SCRIPTS, FolderTest

GIB = 1 << 30


def technique(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "summary": f"what {name} does", "relieves": "", "scenario": "full", "when": "", "cost": "",
            "numerics": "bit_equal", "tolerance": 0, "leaks": False, "source": "somewhere", "edits": [], "excludes": [],
            "needs": [], "parameter": {"name": "", "meaning": "", "value": 0, "smallest": 0}, "not_on_cpu": "",
            "tags": []} | fields


TECHNIQUES = [
    technique("baseline"),
    technique("save", when="it is late", cost="a second", relieves="forward", edits=["segment_wrap"], needs=["relu"],
              numerics="tolerance", tolerance=0.001),
    technique("other", edits=["segment_wrap"], excludes=["shy"], not_on_cpu="it has none", scenario="small"),
    technique("shy", leaks=True, parameter={"name": "k", "meaning": "parts", "value": 4, "smallest": 2}),
]
MODELS = [{"name": "m", "tags": ["default"]}, {"name": "hidden", "tags": ["full"]}]


def row(name: str, peak: int, preset: str = "full", model: str = "m") -> dict[str, Any]:
    return {"cell": f"{model}/{preset}/{name}/sim:h200", "model": model, "preset": preset, "technique": name,
            "device": "sim:h200", "outcome": "measured", "certainty": "exact",
            "metrics": {"peak_allocated_bytes": peak, "forward_peak_allocated_bytes": peak}}


class TechniquesDoc(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        listings = json.dumps({"techniques": TECHNIQUES, "models": MODELS})
        self.program = self.write("program", f"#!{sys.executable}\nimport json, sys\n"
                                  f"print(json.dumps(json.loads({listings!r})[sys.argv[2]]))\n", executable=True)
        self.output = self.folder / "techniques.md"

    def records(self, *rows: dict[str, Any]) -> Path:
        header = {"schema": "highwater.records/3", "suite": "full"}
        return self.write("full.jsonl", "".join(json.dumps(line) + "\n" for line in [header, *rows]))

    def make(self, *arguments: object, records: Path | None = None) -> tuple[int, str]:
        result = self.run_command(sys.executable, "-B", SCRIPTS / "techniques_doc.py", self.program,
                                  "--output", self.output,
                                  "--records", records or self.folder / "none.jsonl", *arguments)
        return result.returncode, result.stdout + result.stderr

    def entry(self, name: str, records: Path | None = None) -> str:
        code, text = self.make("--print", records=records)
        self.assertEqual(code, 0, text)
        return text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]

    def test_an_entry_has_what_the_declaration_says(self) -> None:
        self.assertEqual(self.entry("save"), """
What save does.

- **When**: it is late
- **Relieves**: forward, where that is the peak: preset `full`
- **Costs**: a second
- **Numerics**: gradients within 0.001 (L2, relative) of baseline's
- **Edits**: `segment_wrap`
- **Takes hold of**: `relu`
- **Does not combine with**: `other` (both change `segment_wrap`)
- **Source**: somewhere
""")

    def test_exclusions_hold_in_both_directions(self) -> None:
        self.assertIn("- **Does not combine with**: `shy`; `save` (both change `segment_wrap`)\n", self.entry("other"))
        self.assertIn("- **Does not combine with**: `other`\n", self.entry("shy"))

    def test_anti_patterns_and_what_the_cpu_cannot_show_are_said(self) -> None:
        self.assertIn("- **Leaks**: by design", self.entry("shy"))
        self.assertIn("- **On the CPU**: nothing: it has none", self.entry("other"))

    def test_without_records_no_number_is_given(self) -> None:
        self.assertNotIn("**Saves**", self.entry("save"))
        self.assertIn("no record of suite full is committed yet", self.make("--print")[1])

    def test_savings_are_those_of_the_records_against_the_same_preset(self) -> None:
        records = self.records(row("baseline", 4 * GIB), row("baseline", 2 * GIB, "small"), row("save", 3 * GIB),
                               row("other", 1 * GIB, "small"))
        self.assertIn("- **Saves**: m -1.00 GiB (-25.0 %)\n", self.entry("save", records))
        self.assertIn("- **Saves**: m -1.00 GiB (-50.0 %)\n", self.entry("other", records))

    def test_a_saving_of_what_diverges_is_none(self) -> None:
        lost = row("save", 3 * GIB) | {"attributes": {"diverges": "by design"}}
        records = self.records(row("baseline", 4 * GIB), lost)
        self.assertNotIn("**Saves**", self.entry("save", records))

    def test_models_outside_suite_default_are_not_shown(self) -> None:
        records = self.records(row("baseline", 4, model="hidden"), row("save", 3, model="hidden"))
        self.assertNotIn("**Saves**", self.entry("save", records))

    def test_a_promise_stands_beside_what_was_saved(self) -> None:
        promising = row("save", 3 * GIB) | {
            "promises": [{"metric": "forward_peak_allocated_bytes", "minimum_saving_bytes": 1 << 20}]}
        self.assertIn("- **Promises**: m at least 1.0 MiB of `forward_peak_allocated_bytes`, and saved 1.00 GiB\n",
                      self.entry("save", self.records(row("baseline", 4 * GIB), promising)))

    def test_check_tells_an_old_file_from_a_current_one(self) -> None:
        self.assertEqual(self.make("--check")[0], 1)
        self.assertEqual(self.make()[0], 0)
        self.assertEqual(self.make("--check")[0], 0)
        self.output.write_text(self.output.read_text().replace("late", "early"))
        code, text = self.make("--check")
        self.assertEqual(code, 1)
        self.assertIn("run scripts/techniques_doc.py", text)


    def test_a_number_is_shown_with_what_it_means(self) -> None:
        self.assertIn("- **Takes a number**: `shy:k`, parts: 2 or more, 4 by its bare name", self.entry("shy"))


if __name__ == "__main__":
    unittest.main()
