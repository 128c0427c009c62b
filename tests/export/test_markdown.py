"""The summary for a pull request, its HTML read by Python's own parser."""

from __future__ import annotations

import re
import unittest
from html.parser import HTMLParser

from hostile_run import VERDICTS, ExportTest, identity

TAGS = {"h3", "p", "code", "table", "tr", "th", "td", "details", "summary"}


class Reader(HTMLParser):
    """What stands in <code>, what stands elsewhere, and what must not be there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.code: list[str] = []
        self.plain = ""
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS or attributes or "code" in self.open:
            self.wrong.append(f"<{tag} {attributes}>")
        self.open.append(tag)
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code[-1] += data
        else:
            self.plain += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data}")


class Markdown(ExportTest):
    def read(self) -> Reader:
        reader = Reader()
        reader.feed(self.exported("markdown").decode())
        reader.close()
        return reader

    def test_no_mark_up_comes_out_of_hostile_text(self) -> None:
        reader = self.read()
        self.assertEqual((reader.wrong, reader.open), ([], []))
        self.assertEqual(reader.rawdata, "")

    def test_outside_code_there_is_no_hostile_text(self) -> None:
        plain = self.read().plain
        self.assertNotRegex(plain, r"[@#<>`\[\]*&\x00-\x09\x0b-\x1f\u202e]|://|onerror|é")

    def test_every_cell_is_there_in_code(self) -> None:
        found = [re.sub(r"\s+", " ", text) for text in self.read().code]
        for technique in VERDICTS:
            name = re.sub(r"[\x1b\x01\u202e\ufffe]", "", re.sub(r"\s+", " ", identity(technique)))
            self.assertIn(name, found)

    def test_a_block_of_html_has_no_blank_line_that_would_end_it(self) -> None:
        text = self.exported("markdown").decode()
        for block in re.findall(r"<table>.*?</table>|<h3>.*?</h3>", text, re.DOTALL):
            self.assertNotRegex(block, r"\n\s*\n")
            self.assertTrue(all(line.startswith("<") for line in block.splitlines()), block)

    def test_is_a_comment_that_github_takes(self) -> None:
        self.assertLessEqual(len(self.exported("markdown").decode()), 65536)


if __name__ == "__main__":
    unittest.main()
