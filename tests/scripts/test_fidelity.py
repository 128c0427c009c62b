"""Streams are read whole and compared strictly, peaks follow from them, and no difference is passed over."""

import gzip
import io
import json
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from support import FolderTest

import fidelity as script  # first: it makes the modules of fidelity/ importable
import allocator_trials
import simulation
from block_streams import (BlockEvent, align, block_stream, read_block_trace, take_out_workspaces, without_totals,
                           workspaces_of_a_step)
from comparison import compare
from event_streams import Block, Event, StreamError, read_history
from fidelity_report import comparable, report
from recorded_peaks import Peaks, recorded_peaks
from results import BlockResult, ControlResult, Findings, OrderResult, StepCost, TrialResult
from simulation import Device, SimulationError
from trials import BLOCK_TRIALS, CONTROLS, TRIALS

MIB = 1 << 20
STREAM = [Event("segment_alloc", 2 * MIB, 0, 4096), Event("alloc", 1000, 0, 4096, "add (py)"),
          Event("alloc", 512, 0, 5120), Event("free_requested", 1000, 0, 4096), Event("free_completed", 1000, 0, 4096)]
PEAKS = Peaks(1512, 1536, 2 * MIB)


def changed(position: int, **fields: object) -> list[Event]:
    stream = list(STREAM)
    stream[position] = Event(**{**vars(stream[position]), **fields})
    return stream


class Reading(FolderTest):
    TRACE = ("action\taddr\tsize\tstream\ttime_us\tphase\tsite\touter_op\tinner_op\n"
             "alloc\t4096\t1000\t7\t1\tbwd\ttensor\teinsum\tbmm\n"
             "free_requested\t4096\t1000\t7\t2\t\t\t\t\n")

    def test_a_recorded_trace_tells_its_operators(self) -> None:
        path = self.folder / "trace.tsv.gz"
        path.write_bytes(gzip.compress(self.TRACE.encode()))
        self.assertEqual(read_history(path), [Event("alloc", 1000, 7, 4096, "einsum/bmm (bwd)"),
                                              Event("free_requested", 1000, 7, 4096, "")])

    def test_a_stream_of_ours_tells_the_line_of_the_program(self) -> None:
        path = self.write("ours.tsv", "action\taddr\tsize\tstream\twhere\nalloc\t0\t4\t0\tcells.py:3 f\n")
        self.assertEqual(str(read_history(path)[0]), "alloc of 4 B on stream 0 in cells.py:3 f")

    def test_what_is_no_stream_is_refused_with_its_file(self) -> None:
        cases = {"cut line": self.TRACE + "alloc\t4096\n", "no number": self.TRACE.replace("1000", "many"),
                 "empty": self.TRACE.split("\n")[0] + "\n", "other columns": "a\tb\n1\t2\n"}
        for name, text in cases.items():
            with self.subTest(name), self.assertRaisesRegex(StreamError, "bad.tsv"):
                read_history(self.write("bad.tsv", text))

    def test_a_truncated_archive_and_a_missing_file_are_refused(self) -> None:
        path = self.folder / "cut.tsv.gz"
        path.write_bytes(gzip.compress(self.TRACE.encode() * 100)[:-20])
        for bad in (path, self.folder / "absent.tsv"):
            with self.subTest(bad.name), self.assertRaisesRegex(StreamError, bad.name):
                read_history(bad)


class Comparing(unittest.TestCase):
    def test_equal_streams_are_equal_whatever_the_addresses(self) -> None:
        self.assertTrue(compare(STREAM, [Event(**{**vars(event), "address": 1}) for event in STREAM]).equal)

    def test_one_different_field_is_one_difference_and_is_named(self) -> None:
        for field, value in {"action": "segment_free", "size": 1001, "stream": 9}.items():
            with self.subTest(field):
                found = compare(STREAM, changed(1, **{field: value}))
                self.assertEqual((found.equal, found.differing, found.first.position), (False, 1, 1))
        self.assertIn("recorded alloc of 1,000 B on stream 0 in add (py); simulated alloc of 1,000 B on stream 9", str(found.first))

    def test_the_same_events_in_another_order_differ(self) -> None:
        self.assertEqual(compare(STREAM, [STREAM[0], STREAM[2], STREAM[1], *STREAM[3:]]).differing, 2)

    def test_a_stream_that_ends_early_differs_by_what_it_lacks(self) -> None:
        for recorded, simulated in ((STREAM, STREAM[:3]), (STREAM[:3], STREAM)):
            found = compare(recorded, simulated)
            self.assertEqual((found.differing, found.first.position), (2, 3))
            self.assertIn("the stream had ended", str(found.first))


class RecordedPeaks(unittest.TestCase):
    def test_small_blocks_are_rounded_to_512_bytes(self) -> None:
        after = [Block(4096, 2 * MIB, 5120, 512, 512, True), Block(4096, 2 * MIB, 4096, 1024, 1000, False)]
        self.assertEqual(recorded_peaks(STREAM, after), PEAKS)

    def test_a_rest_of_at_most_a_mebibyte_stays_with_a_large_block(self) -> None:
        for request, allocated in ((19 * MIB, 20 * MIB), (19 * MIB - 512, 19 * MIB - 512)):
            events = [Event("segment_alloc", 20 * MIB, 0, 0), Event("alloc", request, 0, 0)]
            after = [Block(0, 20 * MIB, 0, allocated, request, True)]
            self.assertEqual(recorded_peaks(events, after), Peaks(request, allocated, 20 * MIB))

    def test_what_was_there_before_counts(self) -> None:
        events = [Event("free_requested", 3 * MIB, 0, 0), Event("free_completed", 3 * MIB, 0, 0), Event("segment_free", 20 * MIB, 0, 0)]
        self.assertEqual(recorded_peaks(events, []), Peaks(3 * MIB, 3 * MIB, 20 * MIB))

    def test_what_was_given_back_counts_no_more(self) -> None:
        events = [Event("segment_free", 20 * MIB, 0, 0), Event("segment_alloc", 2 * MIB, 0, 0)]
        self.assertEqual(recorded_peaks(events, [Block(0, 2 * MIB, 0, 2 * MIB, 0, False)]), Peaks(0, 0, 20 * MIB))


def taken(*sizes: int) -> list[BlockEvent]:
    return [BlockEvent(size) for size in sizes]


class Blocks(FolderTest):
    def test_both_kinds_of_traces_are_read(self) -> None:
        signs = self.write("signs.tsv", "sign\tblock_bytes\n1\t512\n-1\t512\n")
        totals = self.write("totals.tsv", "bytes\taddr_id\ttotal_allocated\ttotal_reserved\n512\t3\t1024\t2048\n")
        self.assertEqual([event.key() for event in read_block_trace(signs)], [(512, None, None), (-512, None, None)])
        self.assertEqual(read_block_trace(totals)[0].key(), (512, 1024, 2048))

    def test_what_is_no_block_trace_is_refused_with_its_file(self) -> None:
        for text in ("sign\tblock_bytes\n", "sign\tblock_bytes\n1\n", "a\n1\n", "bytes\taddr_id\ttotal_allocated\n1\t2\t3\n"):
            with self.subTest(text), self.assertRaisesRegex(StreamError, "bad.tsv"):
                read_block_trace(self.write("bad.tsv", text))

    def test_a_history_is_told_as_blocks_with_their_totals(self) -> None:
        after = [Block(4096, 2 * MIB, 5120, 512, 512, True), Block(4096, 2 * MIB, 4096, 1024, 1000, False)]
        self.assertEqual([event.key() for event in block_stream(STREAM, after)],
                         [(1024, 1024, 2 * MIB), (512, 1536, 2 * MIB), (-1024, 512, 2 * MIB)])

    def test_the_workspaces_of_a_step_come_forward_then_backward_and_the_first_convolution_lacks_one(self) -> None:
        sizes = {"0": 10, "1": 11, "2": 12, "3": 13, "4": 14}  # first and second forward, second's two gradients, first's
        self.assertEqual(workspaces_of_a_step(["a", "b"], sizes), [10, 11, 12, 13, 14])
        self.assertEqual(workspaces_of_a_step(["a", "b", "b"], sizes), [10, 11, 11, 12, 13, 12, 13, 14])
        self.assertEqual(workspaces_of_a_step(["a", "b"], sizes | {"2": 0}), [10, 11, 13, 14])
        with self.assertRaisesRegex(StreamError, "5 distinct convolution calls, but 4 workspaces"):
            workspaces_of_a_step(["a", "b"], dict(list(sizes.items())[:4]))

    def test_workspaces_are_taken_out_in_order_and_only_where_they_go_at_once(self) -> None:
        stream = taken(512, 10, -10, 1024, 11, -11, -512)
        explained = take_out_workspaces(stream, [10, 11])
        self.assertEqual((explained.tensors, explained.workspaces, explained.missing), (taken(512, 1024, -512), 2, 0))
        self.assertEqual(take_out_workspaces(stream, [11, 10]).missing, 1)
        self.assertEqual(take_out_workspaces(taken(10, 512, -10), [10]).missing, 1)

    def aligned(self, recorded: list[BlockEvent], *simulated: tuple[int, int]) -> bool:
        """Simulated events as (signed request, address)."""
        ours = [BlockEvent(size, requested=abs(size), address=address) for size, address in simulated]
        return compare(recorded, list(align(recorded, ours))).equal

    def test_our_own_workspaces_are_left_out_but_no_tensor_is(self) -> None:
        recorded = taken(512, 1024, -1024, -512)  # the 1024 B may be two tensors, or a scratch of both sides
        self.assertTrue(self.aligned(recorded, (512, 1), (77_000, 2), (-77_000, 2), (1000, 3), (-1000, 3), (-512, 1)))
        self.assertTrue(self.aligned(recorded, (512, 1), (1000, 3), (-1000, 4), (-512, 1)))
        self.assertFalse(self.aligned(recorded, (512, 1), (77_000, 2), (1000, 3), (-1000, 3), (-77_000, 2), (-512, 1)))
        self.assertFalse(self.aligned(recorded, (512, 1), (-512, 1)))
        self.assertFalse(self.aligned(taken(1024), (-512, 1), (512, 1), (1000, 3)))
        self.assertTrue(self.aligned(taken(4 * MIB, -3 * MIB), (3 * MIB, 3), (-3 * MIB, 4)))

    def test_a_block_may_keep_a_small_rest_if_it_is_large(self) -> None:
        for block, request, fits in ((1024, 1000, True), (1536, 1000, False), (512, 1000, False), (4 * MIB, 3 * MIB, True),
                                     (4 * MIB + 512, 3 * MIB, False), (3 * MIB, 3 * MIB + 1, False), (-4 * MIB, 3 * MIB, False)):
            with self.subTest(block=block, request=request):
                self.assertEqual(self.aligned(taken(block), (request, 1)), fits)

    def test_totals_count_unless_they_are_taken_away(self) -> None:
        one, other = [BlockEvent(512, 1024, 2048)], [BlockEvent(512, 1536, 2048)]
        self.assertFalse(compare(one, other).equal)
        self.assertTrue(compare(without_totals(one), without_totals(other)).equal)


def findings(simulated: list[Event] = STREAM, peaks: Peaks = PEAKS, wrong: list[Event] = STREAM[:1]) -> Findings:
    orders = (OrderResult("falling", compare(STREAM, simulated), peaks), OrderResult("rising", compare(STREAM, STREAM[:2]), peaks))
    return Findings(trials=(TrialResult(TRIALS[0], PEAKS, orders),),
                    controls=(ControlResult(CONTROLS[0], compare(STREAM, wrong)),),
                    cost=StepCost(3_000_000_000, (2.0, 0.5, 0.25), 300 * MIB, 50_000 * MIB))


class Judging(FolderTest):
    def settle(self, found: Findings, check: bool = False) -> tuple[int, str]:
        error = io.StringIO()
        with mock.patch.object(script, "DOCUMENT", self.folder / "fidelity.md"), redirect_stderr(error):
            return script.settle(found, check), error.getvalue()

    def test_another_order_of_addresses_may_differ(self) -> None:
        self.assertEqual(self.settle(findings()), (0, ""))
        self.assertIn("| 0 events | 3 events |", (self.folder / "fidelity.md").read_text())

    def test_a_different_event_a_different_peak_and_a_blind_control_each_fail(self) -> None:
        cases = {"1 events differ; event 1: recorded alloc": findings(changed(1, size=4)),
                 "simulated Peaks(requested=1512, allocated=1536, reserved=0)": findings(peaks=Peaks(1512, 1536, 0)),
                 "transformer.py does not notice compute capability 8.0": findings(wrong=STREAM)}
        for words, found in cases.items():
            with self.subTest(words):
                code, error = self.settle(found)
                self.assertEqual(code, 1)
                self.assertIn(words, error)

    def test_what_exec_reports_must_be_what_torch_says_inside(self) -> None:
        for told, code in ((None, 0), (PEAKS, 0), (Peaks(1, 2, 3), 1)):
            found = TrialResult(TRIALS[0], PEAKS, findings().trials[0].orders, told)
            self.assertEqual(self.settle(Findings(trials=(found,)))[0], code)

    def test_only_a_process_of_one_run_can_be_held_against_its_report(self) -> None:
        self.assertEqual([trial.alone for trial in TRIALS], [True, False, False, False, False])

    def test_a_different_block_and_a_missing_workspace_each_fail(self) -> None:
        same, other = compare(taken(512), taken(512)), compare(taken(512), taken(1024))
        for result, code in ((BlockResult(BLOCK_TRIALS[0], 1, same), 0), (BlockResult(BLOCK_TRIALS[0], 1, other), 1),
                             (BlockResult(BLOCK_TRIALS[1], 1, same, workspaces=3, missing=1), 1)):
            with self.subTest(result=result):
                self.assertEqual(self.settle(Findings(blocks=(result,)))[0], code)

    def test_a_slow_step_and_a_large_process_each_fail(self) -> None:
        for cost in (StepCost(1, (2.0, 1.1), 1, 1), StepCost(1, (2.0, 0.5), 600 * MIB, 1)):
            with self.subTest(cost=cost):
                self.assertEqual(self.settle(Findings(cost=cost))[0], 1)
        self.assertEqual(self.settle(Findings(cost=StepCost(1, (2.0, 0.5), 599 * MIB, 1)))[0], 0)

    def test_check_holds_the_document_against_the_findings_but_for_times(self) -> None:
        self.assertEqual(self.settle(findings(), check=True)[0], 1)
        self.settle(findings())
        slower = Findings(**{**vars(findings()), "cost": StepCost(3_000_000_000, (9.0, 0.9, 0.9), 1, 1)})
        self.assertEqual(self.settle(slower, check=True), (0, ""))
        path = self.folder / "fidelity.md"
        path.write_text(path.read_text().replace("| 5 |", "| 6 |"))
        self.assertEqual(self.settle(findings(), check=True)[0], 1)

    def test_a_control_that_is_known_to_be_blind_is_no_fault_and_every_property_has_one_that_notices(self) -> None:
        blind = next(control for control in CONTROLS if not control.must_notice)
        self.assertEqual(Findings(controls=(ControlResult(blind, compare(STREAM, STREAM)),)).faults(), [])
        self.assertEqual({control.what for control in CONTROLS}, {control.what for control in CONTROLS if control.must_notice})

    def test_peaks_that_an_order_moves_are_told(self) -> None:
        orders = (findings().trials[0].default, OrderResult("rising", compare(STREAM, STREAM), Peaks(1512, 2048, 2 * MIB)))
        text = report(Findings(trials=(TrialResult(TRIALS[0], PEAKS, orders),)), "2.6.0")
        self.assertIn("| 0 events | 0 events, allocated +512 B |", text)

    def test_a_control_says_what_the_right_and_the_wrong_card_did(self) -> None:
        self.assertIn("event 1: right alloc of 1,000 B on stream 0 in add (py); wrong nothing, the stream had ended",
                      report(findings(), "2.6.0"))

    def test_only_the_measured_part_is_left_out(self) -> None:
        text = report(findings(), "2.6.0")
        self.assertIn("0.25 to 0.50 s", text)
        self.assertNotIn("0.25 to 0.50 s", comparable(text, findings()))
        self.assertIn("What no real data covers", comparable(text, findings()))

    def test_without_cudnn_the_rest_is_still_checked_and_what_is_left_out_is_said(self) -> None:
        block = BlockResult(BLOCK_TRIALS[0], 1, compare(taken(512), taken(512)))
        whole = Findings(**{**vars(findings()), "blocks": (block,)})
        part = Findings(**{**vars(findings()), "skipped": ("no cuDNN here",)})
        self.settle(whole)
        code, said = self.settle(part, check=True)
        self.assertEqual((code, said), (0, "fidelity: not tried: no cuDNN here\n"))
        self.assertEqual(self.settle(Findings(**{**vars(part), "controls": ()}), check=True)[0], 1)
        self.settle(part)
        self.assertEqual(self.settle(whole, check=True)[0], 1)

    def test_without_traces_it_skips_and_says_which(self) -> None:
        out = io.StringIO()
        with redirect_stdout(out):
            self.assertEqual(script.main(["--traces", str(self.folder)]), 77)
        self.assertIn("kk_memory_ctx128_fullstep", out.getvalue())


class Allocators(FolderTest):
    """The C++ programs are played by scripts that print JSON."""

    EQUAL = {"events": 7, "mismatches": 0, "allocations": 3, "misplaced_allocations": 0, "first_difference": None, "equal": True}
    PROGRAMS = {"programs": 1000, "events": 9, "first_difference": None, "equal": True}

    def try_allocators(self, code: int = 0, **answers: dict[str, object]) -> allocator_trials.AllocatorFindings:
        for trace in allocator_trials.REPLAYED:
            for part in ("events", "segments"):
                (self.folder / f"{trace}.{part}.tsv.gz").write_bytes(gzip.compress(b"unpacked"))
        for program, usual in (("oracle", self.EQUAL), ("replay", self.EQUAL), ("programs", self.PROGRAMS)):
            answer = json.dumps(usual | answers.get(program, {}))
            check = "" if program == "programs" else 'grep -qx unpacked "$2" "$4" || exit 2\n'
            self.write(f"build/bin/highwater_allocator_{program}", f"#!/bin/sh\n{check}echo '{answer}'\nexit {code}\n", executable=True)
        return allocator_trials.try_allocators(self.folder / "build", self.folder, self.folder / "scratch")

    def test_every_trace_is_replayed_in_both_allocators(self) -> None:
        found = self.try_allocators()
        self.assertEqual(found.faults(), [])
        self.assertEqual(len({(replay.trace, replay.allocator) for replay in found.replays}), 12)
        text = report(Findings(allocator=found), "2.6.0")
        self.assertIn("| `kk_memlogs_ctx128_forward` | Torch's allocator | 7 | 0 | 3 | 0 | none |", text)
        self.assertIn("1,000 random programs with 9 events", text)

    def test_a_difference_in_any_of_them_is_a_fault(self) -> None:
        cases = {"oracle": ({"equal": False, "first_difference": "event 3"}, "in the oracle: event 3"),
                 "replay": ({"equal": False}, "in Torch's allocator: the blocks at the end differ"),
                 "programs": ({"equal": False, "first_difference": "seed 5"}, "random programs: seed 5")}
        for program, (answer, words) in cases.items():
            with self.subTest(program):
                self.assertIn(words, " ".join(Findings(allocator=self.try_allocators(1, **{program: answer})).faults()))

    def test_a_program_that_cannot_run_or_is_not_built_is_an_error(self) -> None:
        with self.assertRaisesRegex(SimulationError, "highwater_allocator_oracle .*ended with code 2"):
            self.try_allocators(2)
        with self.assertRaisesRegex(SimulationError, "build it: cmake"):
            allocator_trials.try_allocators(self.folder, self.folder, self.folder / "scratch")

    def test_a_program_that_hangs_is_ended(self) -> None:
        with mock.patch.object(simulation, "TIME_LIMIT_SECONDS", 0.1), self.assertRaisesRegex(SimulationError, "took more than"):
            simulation.run_program(["sleep", "60"], {})


class Runs(FolderTest):
    def run_with(self, script: str) -> str:
        highwater = self.write("build/bin/highwater", f"#!/bin/sh\n{script}\n", executable=True)
        torch = simulation.Torch("2.6.0", Path("python-of-the-torch"), highwater, self.folder / "cudnn")
        torch.run("cells.py", ("more",), Device("h100-sxm"), self.folder / "output", "rising")
        return (self.folder / "said").read_text()

    def test_a_program_runs_under_exec_on_the_device_in_the_order_that_is_wanted(self) -> None:
        with mock.patch.dict("os.environ", {"SIMGPU_READS": "ones", "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "KEPT": "1"}):
            said = self.run_with(f'echo "$@" >{self.folder}/said; env >>{self.folder}/said')
        self.assertRegex(said, r"^exec --device \S+/h100-sxm.json --order rising --report \S+/output/exec.json --cudnn \S+/cudnn "
                               r"-- python-of-the-torch \S+/cells.py --output \S+/output more\n")
        self.assertIn("KEPT=1", said)
        self.assertNotIn("SIMGPU_", said)
        self.assertNotIn("PYTORCH_", said)

    def test_a_program_that_fails_is_told_with_the_end_of_what_it_said(self) -> None:
        with self.assertRaisesRegex(SimulationError, "ended with code 3:\nno such thing"):
            self.run_with("echo no such thing >&2; exit 3")


class Devices(FolderTest):
    def test_a_changed_device_differs_in_what_was_asked_for_only(self) -> None:
        right, wrong = (json.loads(Device("h100-sxm", changes).write(self.folder).read_text())
                        for changes in ((), (("multiprocessor_count", 7),)))
        self.assertEqual(right | {"multiprocessor_count": 7}, wrong)
        self.assertNotEqual(right, wrong)

    def test_every_trial_and_control_names_a_program_and_a_profile_that_exist(self) -> None:
        for case in (*TRIALS, *BLOCK_TRIALS, *CONTROLS):
            with self.subTest(case.what):
                self.assertTrue(Path(script.ROOT, "fidelity", "programs", case.process.program).exists())
                self.assertTrue(Path(script.ROOT, "simgpu", "profiles", f"{case.process.device.profile}.json").exists())


if __name__ == "__main__":
    unittest.main()
