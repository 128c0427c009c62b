"""An artifact of Highwater's is received; one that a stranger bent is refused, and nothing leaves the folder."""

import json
import stat
import struct
import unittest
import warnings
import zipfile
from typing import Any
from unittest import mock

from support import FolderTest

import artifact
import hostile_artifact
from artifact import cell, header, lines
from hostile_artifact import HostileArtifact


class Received(FolderTest):
    def receive(self, archive: bytes) -> int:
        return hostile_artifact.receive(archive, self.folder / "received")

    def assert_refused(self, archive: bytes, words: str) -> None:
        with self.assertRaises(HostileArtifact) as caught:
            self.receive(archive)
        self.assertIn(words, str(caught.exception))
        self.assertLess(len(str(caught.exception)), 1000)

    def assert_records_refused(self, records: str, words: str) -> None:
        self.assert_refused(artifact.packed(artifact.files(records)), words)


class Archive(Received):
    def entry(self, name: str, mode: int = 0, text: str = "") -> bytes:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        info.external_attr = mode << 16
        plain = [(zipfile.ZipInfo(own), held) for own, held in artifact.files().items()]
        return artifact.packed_with([*plain, (info, text)])

    def test_one_of_highwater_is_received_and_only_its_records_are_kept(self) -> None:
        self.assertEqual(self.receive(artifact.packed(artifact.files())), 12)
        found = [path for path in self.folder.rglob("*") if path.is_file()]
        self.assertEqual(found, [self.folder / "received/records.jsonl"])
        self.assertEqual(found[0].read_text(), artifact.files()["records.jsonl"])

    def test_names_that_leave_the_folder_are_refused(self) -> None:
        for name in ("../a", "a/../../b", "/etc/passwd", "a//b", "./a", "a\\..\\b", "C:/a", "-rf", ".git/config", "a b",
                     "a\nb", "é", "$(id)", "a/", "b/c/d/e/f/g", "x" * 301):
            with self.subTest(name):
                self.assert_refused(self.entry(name), "names are plain and stay in the folder")

    def test_a_name_with_a_hidden_end_is_refused(self) -> None:
        archive = self.entry("evilXreport.md").replace(b"evilXreport.md", b"evil\0report.md")
        self.assert_refused(archive, "names are plain")

    def test_links_and_devices_are_refused(self) -> None:
        for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFDIR):
            with self.subTest(kind):
                self.assert_refused(self.entry("records", kind | 0o777, "../secret"), "is a link or no plain file")

    def test_the_same_name_twice_is_refused_in_either_case(self) -> None:
        for name in ("records.jsonl", "RECORDS.jsonl"):
            with self.subTest(name), warnings.catch_warnings(action="ignore"):
                self.assert_refused(self.entry(name), "two entries have the same name")

    def test_too_many_entries_are_refused(self) -> None:
        many = {f"a{number}": "" for number in range(hostile_artifact.MAXIMUM_FILES)}
        self.assert_refused(artifact.packed({**artifact.files(), **many}), "at most 64 are read")

    def test_a_large_archive_is_refused(self) -> None:
        with mock.patch.object(hostile_artifact, "MAXIMUM_ARCHIVE_BYTES", 100):
            self.assert_refused(artifact.packed(artifact.files()), "at most 100 are read")

    def test_what_would_be_large_unpacked_is_refused_before_it_is(self) -> None:
        with mock.patch.object(hostile_artifact, "MAXIMUM_UNPACKED_BYTES", 1 << 20):
            self.assert_refused(self.entry("bomb", 0, "0" * (1 << 20)), "at most 1048576 are read")

    def test_a_size_that_lies_is_refused(self) -> None:
        archive = bytearray(artifact.packed(artifact.files(lines(header(), *["x" * 100] * 100))))
        at = archive.index(b"PK\1\2")  # the directory's entry of records.jsonl: its size unpacked is 24 bytes in
        archive[at + 24:at + 28] = struct.pack("<I", 10)
        self.assert_refused(bytes(archive), "records.jsonl")

    def test_a_file_shorter_than_it_says_is_refused(self) -> None:
        archive = bytearray(artifact.packed(artifact.files()))
        at = archive.index(b"PK\1\2")
        size, = struct.unpack_from("<I", archive, at + 24)
        struct.pack_into("<I", archive, at + 24, size + 1)
        self.assert_refused(bytes(archive), "records.jsonl is not of the size that the archive says")

    def test_an_encrypted_entry_is_refused(self) -> None:
        archive = bytearray(artifact.packed(artifact.files()))
        archive[archive.index(b"PK\1\2") + 8] |= 1
        self.assert_refused(bytes(archive), "records.jsonl is encrypted")

    def test_what_is_no_archive_is_refused(self) -> None:
        whole = artifact.packed(artifact.files())
        for archive in (b"", b"<html>", whole[:len(whole) // 2]):
            with self.subTest(archive[:8]):
                self.assert_refused(archive, "no zip archive")

    def test_a_damaged_entry_is_refused(self) -> None:
        archive = bytearray(artifact.packed(artifact.files()))
        archive[60] ^= 0xFF
        self.assert_refused(bytes(archive), "records.jsonl cannot be unpacked")

    def test_missing_files_are_named(self) -> None:
        self.assert_refused(artifact.packed({"pull_request.txt": "1\n"}), "holds no records.jsonl")
        self.assert_refused(artifact.packed(artifact.files(number=None)), "holds no pull_request.txt")

    def test_what_is_no_number_of_a_pull_request_is_refused(self) -> None:
        for text in ("", "0", "-1", "1e3", "12\n\n", "12 ", " 12", "1/../2", "$(id)", "\uff11\uff12", "9" * 10, "12\n13\n"):
            with self.subTest(text):
                self.assert_refused(artifact.packed(artifact.files(number=text)), "is not the number of a pull request")

    def test_a_folder_that_holds_something_is_not_used(self) -> None:
        self.write("received/old", "")
        with self.assertRaises(FileExistsError):
            self.receive(artifact.packed(artifact.files()))


class RecordLines(Received):
    def test_another_schema_is_refused(self) -> None:
        self.assert_records_refused(lines(header(schema="highwater.records/99"), cell()), "records.jsonl:1")

    def test_a_line_that_breaks_the_published_schema_is_refused_by_its_number(self) -> None:
        broken = {"missing": {key: value for key, value in cell().items() if key != "reason"},
                  "unexpected": cell(note="hello"), "type": cell(metrics={"peak_allocated_bytes": "3072"}),
                  "name": cell(metrics={**cell()["metrics"], "<b>": 1}), "outcome": cell(outcome="fine"),
                  "no object": [], "profile": cell(profile={"parameters": {"before": [["a"]]}})}
        for name, line in broken.items():
            with self.subTest(name):
                self.assert_records_refused(lines(header(), line), "records.jsonl:2: ")

    def test_a_suite_or_testbed_that_is_a_path_is_refused(self) -> None:
        for name in ("../../.github", "..", "a/b", "a\n"):
            with self.subTest(name):
                self.assert_records_refused(lines(header(suite=name), cell()), "does not match")
                bed: dict[str, Any] = {"sim:h200": {"id": name, "facts": {}}}
                self.assert_records_refused(lines(header(testbed=bed), cell()), "does not match")

    def test_names_with_markup_or_mentions_are_refused(self) -> None:
        for bad in ("<img src=x>", "@team", "a b", "a`b", "[a](b)", "a\nb", "é", "x" * 301, ""):
            for key in ("cell", "model", "preset", "technique"):
                with self.subTest(bad=bad, key=key):
                    self.assert_records_refused(lines(header(), cell(**{key: bad})), f"{key} is ")
        self.assert_records_refused(lines(header(), cell(device="sim:<img src=x>")), "device is ")

    def test_a_cell_that_is_not_its_parts_is_refused(self) -> None:
        for name in ("gpt2/full/baseline/sim:h200", "mlp/full/baseline/sim:h200x"):
            with self.subTest(name):
                self.assert_records_refused(lines(header(), cell(cell=name)), "but its parts are")

    def test_a_reason_may_say_anything_because_the_summary_escapes_it(self) -> None:
        skipped = cell(outcome="skipped", reason="<script>@team</script>", certainty=None, metrics={})
        self.assertEqual(self.receive(artifact.packed(artifact.files(lines(header(), skipped)))), 12)

    def test_a_reason_that_is_no_text_is_refused(self) -> None:
        self.assert_records_refused(lines(header(), cell(reason={"a": 1})), "is not of type string")

    def test_json_that_readers_differ_in_is_refused(self) -> None:
        line = json.dumps(cell())
        bent = {"a key twice": line[:-1] + ', "cell": "b"}', "NaN": line.replace("3072", "NaN"),
                "65 bits": line.replace("3072", str(1 << 63)), "a million digits": line.replace("3072", "9" * 10**6),
                "deep": "[" * 10**5, "no JSON": "<<<<<<< HEAD"}
        for name, text in bent.items():
            with self.subTest(name):
                self.assert_records_refused(lines(header(), text), "not what Highwater writes")

    def test_half_a_line_too_many_cells_and_no_text_are_refused(self) -> None:
        self.assert_records_refused(lines(header(), cell())[:-1], "ends within a line")
        with mock.patch.object(hostile_artifact, "MAXIMUM_CELLS", 2):
            self.assert_records_refused(lines(header(), *[cell()] * 3), "more than 2 cells")
        self.assert_records_refused("", "the records contradict themselves")

    def test_bytes_that_are_no_text_are_refused(self) -> None:
        self.assert_refused(artifact.packed({**artifact.files(), "records.jsonl": b"\xff"}), "is not UTF-8")

    def test_records_that_contradict_themselves_are_refused(self) -> None:
        wrong = cell(metrics={**cell()["metrics"], "peak_allocated_bytes": 9})
        for name, values in {"sum": (wrong,), "twice": (cell(), cell()), "none": ()}.items():
            with self.subTest(name):
                self.assert_records_refused(lines(header(), *values), "contradict themselves")
                (self.folder / "received/records.jsonl").unlink()


if __name__ == "__main__":
    unittest.main()
