"""CSV, read by Python's csv in strict mode."""

from __future__ import annotations

import csv
import io
import re
import unittest

from hostile_run import AFTER, MEASURED, VERDICTS, ExportTest, identity, values


class Csv(ExportTest):
    def rows(self) -> list[dict[str, str]]:
        lines = list(csv.reader(io.StringIO(self.exported("csv").decode(), newline=""), strict=True))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        self.assertEqual(len(set(lines[0])), len(lines[0]))
        return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]

    def test_every_cell_is_a_row_with_its_verdict(self) -> None:
        self.assertEqual({row["cell"]: row["verdict"] for row in self.rows()},
                         {identity(technique): verdict for technique, verdict in VERDICTS.items()})

    def test_every_number_of_a_record_is_there_and_none_else(self) -> None:
        rows = {row["cell"]: row for row in self.rows()}
        for record in MEASURED:
            found = {name: int(text) for name, text in rows[record["cell"]].items()
                     if re.search(r"_(bytes|nanoseconds|count)(_high)?$", name) and text}
            self.assertEqual(found, values(record))

    def test_texts_come_back_as_they_were(self) -> None:
        rows = {row["cell"]: row for row in self.rows()}
        for record in AFTER:
            for field in ("model", "preset", "technique", "device", "outcome", "reason"):
                self.assertEqual(rows[record["cell"]][field], record[field])

    def test_lines_end_in_cr_lf_outside_quotes(self) -> None:
        unquoted = re.sub(r'"(?:[^"]|"")*"', "", self.exported("csv").decode())
        self.assertEqual(unquoted.count("\r\n"), 1 + len(VERDICTS))
        self.assertNotRegex(unquoted.replace("\r\n", ""), r"[\r\n]")


if __name__ == "__main__":
    unittest.main()
