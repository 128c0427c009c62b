"""Captures are read whole, streams of cells are held strictly against golden files and against a real card's."""

import json
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

from support import FolderTest

import golden_streams as script
import real_device
from captures import CaptureError, read_capture
from comparison import frees_in_order
from event_streams import Event

HEAD = "action\taddr\tsize\tstream\twhere\n"
EVENTS = ("segment_alloc\t8192\t2097152\t0\taten::empty\nalloc\t8192\t512\t0\taten::empty\n"
          "free_requested\t8192\t512\t0\t\nfree_completed\t8192\t512\t0\t\n"
          "segment_alloc\t4096\t2097152\t0\taten::mm\n")
DRIVER = {"total": 1000, "free_with_context": 900, "free_at_end": 700}
NAME = "mlp/full/baseline"


class CaptureTest(FolderTest):
    def capture(self, folder: str, events: str = EVENTS, device: str = "sim:h200", card: str = "NVIDIA H200") -> Path:
        self.write(f"{folder}/events/one.tsv", HEAD + events)
        about = {"testbed": {"id": "x", "facts": {"device_name": card, "torch": "2.11.0"}},
                 "rates": [{"operation": "gemm", "dtype": "Float", "shape": "1 x 1 x 1", "work": 2000, "nanoseconds": 10}]}
        cells = {f"{NAME}/{device}": {"events": "events/one.tsv", "driver": DRIVER},
                 f"mlp/full/other/{device}": {"failed": "it fell over"}}
        self.write(f"{folder}/capture.json",
                   json.dumps({"schema": "highwater-capture-1", "devices": {device: about}, "cells": cells}))
        return self.folder / folder


class Reading(CaptureTest):
    def test_cells_are_known_without_their_device(self) -> None:
        read = read_capture(self.capture("a"))
        self.assertEqual(set(read.cells), {NAME, "mlp/full/other"})
        self.assertEqual((read.cells[NAME].used, read.cells[NAME].context), (200, 100))
        self.assertEqual(read.cells[NAME].events[-1], Event("segment_alloc", 2097152, 0, 4096, "aten::mm"))
        self.assertEqual(read.cells["mlp/full/other"].missing, "it fell over")

    def test_what_is_no_capture_is_refused_with_its_file(self) -> None:
        for name, text in {"none": None, "no json": "{", "other schema": '{"schema": "x"}', "empty": '{"schema": "highwater-capture-1"}'}.items():
            with self.subTest(name), self.assertRaisesRegex(CaptureError, "bad/capture.json"):
                if text is not None:
                    self.write("bad/capture.json", text)
                read_capture(self.folder / "bad")


class Frees(unittest.TestCase):
    def test_only_frees_without_anything_between_change_places(self) -> None:
        stream = [Event("free_requested", 2, 0), Event("free_completed", 2, 0), Event("free_requested", 1, 0),
                  Event("free_completed", 1, 0), Event("alloc", 9, 0), Event("free_requested", 0, 0)]
        self.assertEqual([event.size for event in frees_in_order(stream)], [1, 2, 1, 2, 9, 0])


class Golden(CaptureTest):
    def hold(self, folder: Path, *arguments: str) -> tuple[int, str]:
        said = StringIO()
        with (mock.patch.object(script, "GOLDEN", self.folder / "golden"), mock.patch.object(script, "ROOT", self.folder),
              mock.patch.object(script, "card_of", lambda profile: "NVIDIA H200"),
              mock.patch.object(script, "capture", lambda *_: read_capture(folder)),
              redirect_stdout(said), redirect_stderr(said)):
            return script.main(["highwater", *arguments]), said.getvalue()

    def good(self, folder: str, **options: str) -> Path:
        """A capture whose cells all have streams."""
        path = self.capture(folder, **options)
        text = json.loads((path / "capture.json").read_text())
        text["cells"] = {name: row for name, row in text["cells"].items() if "events" in row}
        (path / "capture.json").write_text(json.dumps(text))
        return path

    def test_what_was_written_is_equal_and_a_changed_stream_is_not(self) -> None:
        self.assertEqual(self.hold(self.good("a"), "--update")[0], 0)
        self.assertEqual(self.hold(self.good("a"))[0], 0)
        code, said = self.hold(self.good("b", events=EVENTS.replace("alloc\t8192\t512", "alloc\t8192\t1024")))
        self.assertEqual(code, 1)
        self.assertIn("recorded alloc of 512 B on stream 0 in aten::empty; simulated alloc of 1,024 B", said)

    def test_the_same_streams_give_the_same_bytes(self) -> None:
        written = []
        for _ in range(2):
            self.hold(self.good("a"), "--update")
            written.append((self.folder / "golden/h200/mlp_full_baseline.tsv.gz").read_bytes())
        self.assertEqual(*written)

    def test_a_missing_stream_and_a_missing_golden_file_are_faults(self) -> None:
        self.hold(self.good("a"), "--update")
        code, said = self.hold(self.capture("b"))
        self.assertEqual(code, 1)
        self.assertIn("mlp_full_other: there is no golden file", said)
        (self.folder / "golden/h200/mlp_full_baseline.tsv.gz").rename(self.folder / "golden/h200/gone.tsv.gz")
        code, said = self.hold(self.good("a"))
        self.assertEqual(code, 1)
        self.assertIn("gone: no stream: the suite has no such cell", said)

    def test_a_cell_that_failed_is_never_made_golden(self) -> None:
        code, said = self.hold(self.capture("a"), "--update")
        self.assertEqual(code, 2)
        self.assertIn("mlp/full/other: it fell over", said)

    def test_no_golden_file_at_all_is_no_success(self) -> None:
        self.assertEqual(self.hold(self.good("a"))[0], 1)

    def test_another_card_is_skipped(self) -> None:
        code, said = self.hold(self.good("a", card="NVIDIA L4"))
        self.assertEqual(code, 77)
        self.assertIn("this is an NVIDIA L4", said)


class RealDevice(CaptureTest):
    def test_differences_are_counted_and_absent_streams_are_no_success(self) -> None:
        real, simulated = read_capture(self.capture("real", EVENTS.replace("512", "600"), "cuda")), read_capture(self.capture("sim"))
        (result,) = real_device.results(real, simulated)
        self.assertFalse(result.equal)
        text = real_device.report(real, [result], [["`l2_cache_bytes`", 1, 2]])
        for part in ("0 of 1 cells equal", "recorded alloc of 600 B", "Of 1 segments allocated after another, 1 lie below", "| 200.0 |"):
            self.assertIn(part, text)
        del real.cells[NAME]
        (result,) = real_device.results(real, simulated)
        self.assertFalse(result.equal)
        self.assertIn("not captured: not in the capture", real_device.report(real, [result], None))

    def test_equal_streams_are_equal_wherever_they_lie(self) -> None:
        real, simulated = read_capture(self.capture("real", device="cuda")), read_capture(self.capture("sim", EVENTS.replace("8192", "1024")))
        self.assertTrue(all(result.equal for result in real_device.results(real, simulated)))

    def test_a_card_without_a_profile_is_named(self) -> None:
        self.assertEqual(real_device.profile_named("NVIDIA H200"), "h200")
        with self.assertRaisesRegex(CaptureError, "Voodoo 2"):
            real_device.profile_named("Voodoo 2")


if __name__ == "__main__":
    unittest.main()
