"""Runs the programs of all trials and judges what they left."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from allocator_trials import try_allocators
from block_streams import (align, block_stream, read_block_trace, take_out_workspaces, without_totals,
                           workspaces_of_a_step)
from comparison import compare
from event_streams import Event, read_blocks, read_history
from recorded_peaks import Peaks, recorded_peaks
from results import BlockResult, ControlResult, Findings, OrderResult, StepCost, TrialResult
from simulation import Device, Torch
from trials import ADDRESS_ORDERS, BLOCK_TRIALS, CONTROLS, H100, TRIALS, BlockTrial, Control, Process, Trial

WORKERS = 2
DEFAULT_ORDER = ADDRESS_ORDERS[0]
KINDS = ("requested", "allocated", "reserved")


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


class Laboratory:
    """Knows the torch, the traces, and in which folder which process left what."""

    def __init__(self, torch: Torch, traces: Path, folder: Path) -> None:
        self.torch, self.traces, self.folder = torch, traces, folder

    def place(self, process: Process, device: Device, order: str = DEFAULT_ORDER) -> Path:
        changes = "-".join(f"{key}={value}" for key, value in device.changes)
        return self.folder / process.name / device.profile / (changes or "unchanged") / order.replace(":", "-")

    def run(self, process: Process, device: Device, order: str) -> None:
        print(f"fidelity: {process.program} {' '.join(process.arguments)} on {device.profile} {dict(device.changes) or ''}, "
              f"addresses {order}", file=sys.stderr, flush=True)
        self.torch.run(process.program, process.arguments, device, self.place(process, device, order), order)

    def run_all(self, wanted: list[tuple[Process, Device, str]]) -> None:
        with ThreadPoolExecutor(WORKERS) as pool:
            for done in [pool.submit(self.run, *one) for one in dict.fromkeys(wanted)]:
                done.result()

    def events(self, process: Process, run: str, device: Device, order: str = DEFAULT_ORDER) -> list[Event]:
        return read_history(self.place(process, device, order) / f"{run}.events.tsv")

    def peaks(self, trial: Trial, order: str) -> Peaks:
        values = read_json(self.place(trial.process, trial.process.device, order) / f"{trial.run}.peaks.json")
        return Peaks(*(values[f"{kind}_bytes"] for kind in KINDS))

    def told_peaks(self, process: Process) -> Peaks:
        """Of the whole process, as `highwater exec` reports them."""
        told = read_json(self.place(process, process.device) / "exec.json")[0]["processes"][0]["devices"][0]["torch"]
        return Peaks(*(told[f"{kind}_bytes"]["peak"] for kind in KINDS))


def wrong_device(control: Control) -> Device:
    return Device(control.process.device.profile, control.changes)


def everything_to_run(blocks: tuple[BlockTrial, ...]) -> list[tuple[Process, Device, str]]:
    orders = [(trial.process, trial.process.device, order) for order in ADDRESS_ORDERS for trial in TRIALS]
    once = [(case.process, case.process.device, DEFAULT_ORDER) for case in (*blocks, *CONTROLS)]
    wrong = [(control.process, wrong_device(control), DEFAULT_ORDER) for control in CONTROLS]
    return orders + once + wrong


def judge_trial(laboratory: Laboratory, trial: Trial) -> TrialResult:
    recorded = read_history(laboratory.traces / f"{trial.trace}.events.tsv.gz")
    peaks = recorded_peaks(recorded, read_blocks(laboratory.traces / f"{trial.trace}.segments.tsv.gz"))
    orders = tuple(
        OrderResult(order, compare(recorded, laboratory.events(trial.process, trial.run, trial.process.device, order)),
                    laboratory.peaks(trial, order)) for order in ADDRESS_ORDERS)
    return TrialResult(trial, peaks, orders, laboratory.told_peaks(trial.process) if trial.alone else None)


def judge_blocks(laboratory: Laboratory, trial: BlockTrial) -> BlockResult:
    place = laboratory.place(trial.process, trial.process.device)
    recorded = read_block_trace(laboratory.traces / f"{trial.trace}.tsv.gz")
    events = laboratory.events(trial.process, trial.run, trial.process.device)
    simulated = block_stream(events, read_blocks(place / f"{trial.run}.segments.tsv"))
    if not trial.workspaces:
        return BlockResult(trial, len(recorded), compare(recorded, simulated))
    step = workspaces_of_a_step(read_json(place / "convolutions.json"), read_json(laboratory.traces / trial.workspaces))
    explained = take_out_workspaces(recorded, step * trial.steps)
    ours = list(align(explained.tensors, without_totals(simulated)))
    return BlockResult(trial, len(recorded), compare(explained.tensors, ours), explained.workspaces, explained.missing)


def judge_control(laboratory: Laboratory, control: Control) -> ControlResult:
    right, wrong = (laboratory.events(control.process, control.run, device)
                    for device in (control.process.device, wrong_device(control)))
    return ControlResult(control, compare(right, wrong))


def measure_cost(torch: Torch, folder: Path) -> StepCost:
    """Alone, so that nothing else of ours takes the processor."""
    torch.run("step_cost.py", (), H100, folder)
    facts = read_json(folder / "step_cost.json")
    return StepCost(facts["parameters"], tuple(facts["step_seconds"]), facts["peak_resident_bytes"],
                    facts["device_peak_reserved_bytes"])


def find_out(torch: Torch, traces: Path, build: Path, folder: Path) -> Findings:
    """Without cuDNN the trials that need it are left out, and the findings say so."""
    allocator = try_allocators(build, traces, folder / "allocator")
    laboratory = Laboratory(torch, traces, folder)
    blocks = tuple(trial for trial in BLOCK_TRIALS if torch.cudnn or not trial.process.cudnn)
    skipped = tuple(f"`{trial.trace}` needs NVIDIA's own cuDNN, and HIGHWATER_SKIP_CUDNN leaves it out" for trial in BLOCK_TRIALS if trial not in blocks)
    laboratory.run_all(everything_to_run(blocks))
    return Findings(trials=tuple(judge_trial(laboratory, trial) for trial in TRIALS),
                    blocks=tuple(judge_blocks(laboratory, trial) for trial in blocks),
                    controls=tuple(judge_control(laboratory, control) for control in CONTROLS),
                    allocator=allocator, cost=measure_cost(torch, folder / "cost"), skipped=skipped)
