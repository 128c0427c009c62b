#!/usr/bin/env python3
"""Hold the simulated GPU against memory histories recorded on real ones, and write docs/fidelity.md.

    scripts/fidelity.py [--check]

Prepares what it needs once (a Python with the traces' torch, the stand-ins for it), runs the programs of
fidelity/programs/ and compares. --check leaves docs/fidelity.md alone and says whether it is what would be written,
but for measured times. Exit codes: 0 all equal, 1 something differs (the first difference is printed), 2 a program
could not be run, 77 there are no traces here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "fidelity"))
sys.dont_write_bytecode = True

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


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Hold the simulated GPU against histories recorded on real ones.")
    parser.add_argument("--check", action="store_true", help="do not write docs/fidelity.md, hold it against the findings")
    parser.add_argument("--traces", type=Path, default=TRACES, metavar="DIR", help="where the recorded traces lie")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the simulated streams in this folder")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    absent = [trial.trace for trial in TRIALS if not (options.traces / f"{trial.trace}.events.tsv.gz").exists()]
    if absent:
        print(f"skipped: {options.traces} does not hold the recorded traces {', '.join(absent)}")
        return SKIPPED
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return settle(find_out(Torch.prepare(TORCH), options.traces, options.keep or Path(scratch)), options.check)
    except (SimulationError, StreamError) as error:
        print(f"fidelity: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
