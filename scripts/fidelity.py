#!/usr/bin/env python3
"""Hold the simulated GPU against memory histories recorded on real ones, and write docs/fidelity.md.

    scripts/fidelity.py [--check]
    scripts/fidelity.py --real DIR [--highwater PROGRAM]

Prepares what it needs once (a Python with the traces' torch, the stand-ins for it), runs the programs of
fidelity/programs/ and compares. --check leaves docs/fidelity.md alone and says whether it is what would be written,
but for measured times. --real holds a capture of a real GPU (scripts/gpu_capture.sh) against the simulation of the same
card instead, and writes DIR/fidelity.md. Exit codes: 0 all equal, 1 something differs (the first difference is printed), 2 a program
could not be run, 77 there are no traces here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "fidelity"))
sys.dont_write_bytecode = True

import real_device  # noqa: E402
from captures import CaptureError, capture, read_capture  # noqa: E402
from comparison import compare  # noqa: E402
from event_streams import StreamError, read_blocks, read_history  # noqa: E402
from fidelity_report import report, without_measurements  # noqa: E402
from recorded_peaks import Peaks, recorded_peaks  # noqa: E402
from results import ControlResult, Findings, OrderResult, StepCost, TrialResult  # noqa: E402
from simulation import Device, SimulationError, Torch  # noqa: E402
from trials import ADDRESS_ORDERS, CONTROLS, H100, TORCH, TRIALS, Control, Process, Trial  # noqa: E402

DOCUMENT = ROOT / "docs" / "fidelity.md"
TRACES = ROOT.parent / "shared" / "data" / "traces"
SKIPPED = 77
WORKERS = 2


class Laboratory:
    """Runs processes, each at most once for one device and order, and finds their streams again."""

    def __init__(self, torch: Torch, folder: Path) -> None:
        self.torch, self.folder = torch, folder

    def place(self, process: Process, device: Device, order: str) -> Path:
        changes = "-".join(f"{key}={value}" for key, value in device.changes)
        return self.folder / process.name / device.profile / (changes or "unchanged") / order.replace(":", "-")

    def run(self, process: Process, device: Device, order: str) -> None:
        print(f"fidelity: {process.program} {' '.join(process.arguments)} on {device.profile} {dict(device.changes) or ''}, "
              f"addresses {order}", file=sys.stderr, flush=True)
        self.torch.run(process.program, process.arguments, device, self.place(process, device, order),
                       {"SIMGPU_ADDRESS_ORDER": order})

    def run_all(self, wanted: list[tuple[Process, Device, str]]) -> None:
        with ThreadPoolExecutor(WORKERS) as pool:
            for done in [pool.submit(self.run, *one) for one in dict.fromkeys(wanted)]:
                done.result()


def wrong_device(control: Control) -> Device:
    return Device(control.process.device.profile, control.changes)


def everything_to_run() -> list[tuple[Process, Device, str]]:
    trials = [(trial.process, trial.process.device, order) for order in ADDRESS_ORDERS for trial in TRIALS]
    right = [(control.process, control.process.device, ADDRESS_ORDERS[0]) for control in CONTROLS]
    wrong = [(control.process, wrong_device(control), ADDRESS_ORDERS[0]) for control in CONTROLS]
    return trials + right + wrong


def read_peaks(path: Path) -> Peaks:
    values = json.loads(path.read_text(encoding="utf-8"))
    return Peaks(values["requested_bytes"], values["allocated_bytes"], values["reserved_bytes"])


def judge_trial(laboratory: Laboratory, trial: Trial, traces: Path) -> TrialResult:
    recorded = read_history(traces / f"{trial.trace}.events.tsv.gz")
    peaks = recorded_peaks(recorded, read_blocks(traces / f"{trial.trace}.segments.tsv.gz"))
    orders = []
    for order in ADDRESS_ORDERS:
        place = laboratory.place(trial.process, trial.process.device, order)
        simulated = read_history(place / f"{trial.run}.tsv")
        orders.append(OrderResult(order, compare(recorded, simulated), read_peaks(place / f"{trial.run}.json")))
    return TrialResult(trial, peaks, tuple(orders))


def judge_control(laboratory: Laboratory, control: Control) -> ControlResult:
    devices = (control.process.device, wrong_device(control))
    right, wrong = (read_history(laboratory.place(control.process, device, ADDRESS_ORDERS[0]) / f"{control.run}.tsv")
                    for device in devices)
    return ControlResult(control, compare(right, wrong))


def measure_cost(torch: Torch, folder: Path) -> StepCost:
    """Alone, so that nothing else takes the processor."""
    torch.run("step_cost.py", (), H100, folder / "cost")
    facts = json.loads((folder / "cost" / "step_cost.json").read_text(encoding="utf-8"))
    return StepCost(facts["parameters"], tuple(facts["step_seconds"]), facts["peak_resident_bytes"],
                    facts["device_peak_reserved_bytes"])


def find_out(torch: Torch, traces: Path, folder: Path) -> Findings:
    laboratory = Laboratory(torch, folder)
    laboratory.run_all(everything_to_run())
    return Findings(trials=tuple(judge_trial(laboratory, trial, traces) for trial in TRIALS),
                    controls=tuple(judge_control(laboratory, control) for control in CONTROLS),
                    cost=measure_cost(torch, folder))


def settle(findings: Findings, check: bool) -> int:
    for fault in findings.faults():
        print(f"fidelity: {fault}", file=sys.stderr)
    text = report(findings, TORCH)
    if not check:
        DOCUMENT.write_text(text, encoding="utf-8")
    elif not DOCUMENT.exists() or without_measurements(DOCUMENT.read_text(encoding="utf-8")) != without_measurements(text):
        print("fidelity: docs/fidelity.md is not what this run found; write it again with scripts/fidelity.py", file=sys.stderr)
        return 1
    return 1 if findings.faults() else 0


def hold_against_real(folder: Path, highwater: Path) -> int:
    """Every cell that the simulation can run, against what the card did."""
    real = read_capture(folder)
    profile = real_device.profile_named(real.facts["device_name"])
    with tempfile.TemporaryDirectory() as scratch:
        simulated = capture(highwater, f"sim:{profile}", Path(scratch))
    cells = real_device.results(real, simulated)
    text = real_device.report(real, cells, real_device.profile_differences(folder, profile))
    (folder / "fidelity.md").write_text(text, encoding="utf-8")
    differing = [result for result in cells if not result.equal]
    for result in differing:
        print(f"fidelity: {result.name}: {result.real.missing or result.comparison.first}", file=sys.stderr)
    print(f"fidelity: {len(cells) - len(differing)} of {len(cells)} cells equal; {folder / 'fidelity.md'}")
    return 1 if differing or not cells else 0


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Hold the simulated GPU against histories recorded on real ones.")
    parser.add_argument("--check", action="store_true", help="do not write docs/fidelity.md, hold it against the findings")
    parser.add_argument("--traces", type=Path, default=TRACES, metavar="DIR", help="where the recorded traces lie")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the simulated streams in this folder")
    parser.add_argument("--real", type=Path, metavar="DIR", help="compare this capture of a real GPU with the simulation")
    parser.add_argument("--highwater", type=Path, default=ROOT / "build" / "bin" / "highwater", metavar="PROGRAM",
                        help="the program that simulates for --real (default: build/bin/highwater)")
    return parser.parse_args(arguments)


def run_safely(work: Callable[[], int]) -> int:
    try:
        return work()
    except (SimulationError, StreamError, CaptureError) as error:
        print(f"fidelity: error: {error}", file=sys.stderr)
        return 2


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    if options.real:
        return run_safely(lambda: hold_against_real(options.real, options.highwater))
    absent = [trial.trace for trial in TRIALS if not (options.traces / f"{trial.trace}.events.tsv.gz").exists()]
    if absent:
        print(f"skipped: {options.traces} does not hold the recorded traces {', '.join(absent)}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        return run_safely(lambda: settle(find_out(Torch.prepare(TORCH), options.traces, folder), options.check))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
