"""JUnit, read by junitparser."""

from __future__ import annotations

import unittest
from collections import Counter

from hostile_run import AFTER, HOSTILE, MEASURED, VERDICTS, ExportTest, identity, junitparser, values

ELEMENT = {"unchanged": None, "skipped": "skipped", "refused": "skipped", "failed": "error"}


def as_xml_keeps_it(text: str) -> str:
    """Without what XML has no place for, and line ends and tabs as blanks."""
    text = "".join(" " if character in "\t\r\n" else character for character in text)
    return "".join(character for character in text if character.isprintable())


class JUnit(ExportTest):
    def suite(self) -> junitparser.TestSuite:
        suites = list(junitparser.JUnitXml.fromstring(self.exported("junit")))
        self.assertEqual(len(suites), 1)
        return suites[0]

    def test_a_case_is_at_most_one_thing_and_that_is_its_verdict(self) -> None:
        cases = {case.name: case.result for case in self.suite()}
        self.assertEqual(set(cases), {as_xml_keeps_it(identity(technique)) for technique in VERDICTS})
        for technique, verdict in VERDICTS.items():
            results = cases[as_xml_keeps_it(identity(technique))]
            element = ELEMENT.get(verdict, "failure")
            self.assertEqual([result._tag for result in results], [element] if element else [], technique)
            self.assertEqual([result.type for result in results], [verdict] if element else [], technique)

    def test_the_counts_are_those_that_the_reader_counts(self) -> None:
        suite = self.suite()
        written = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        self.assertEqual(written, (suite.tests, suite.failures, suite.errors, suite.skipped))
        wanted = Counter(ELEMENT.get(verdict, "failure") for verdict in VERDICTS.values())
        self.assertEqual(written, (len(VERDICTS), wanted["failure"], wanted["error"], wanted["skipped"]))

    def test_every_number_is_a_property(self) -> None:
        cases = {case.name: case for case in self.suite()}
        for record in MEASURED:
            case = cases[as_xml_keeps_it(record["cell"])]
            found = {item.name: item.value for item in junitparser.TestSuite.properties(case)}
            self.assertEqual({name: int(text) for name, text in found.items() if name in values(record)}, values(record))
            self.assertEqual(found["certainty"], record["certainty"])

    def test_hostile_reasons_come_back_without_their_control_characters(self) -> None:
        cases = {case.name: case for case in self.suite()}
        for record in AFTER:
            if record["outcome"] in ("measured", "skipped", "refused"):
                continue
            result = cases[record["cell"]].result[0]
            self.assertEqual(result.message, f"{record['outcome']}: {as_xml_keeps_it(HOSTILE)}")
            self.assertEqual(result.text, result.message)


if __name__ == "__main__":
    unittest.main()
