"""docs/fidelity.md from what a run found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from allocator_trials import AllocatorFindings
from recorded_peaks import Peaks
from results import Findings, OrderResult, StepCost, TrialResult

# What a machine measured moves from run to run, and not every machine has NVIDIA's cuDNN: --check can leave these out.
MEASURED, CUDNN = "measured", "cudnn"


def marked(part: str, text: str) -> str:
    return f"<!-- {part}:begin -->\n{text}<!-- {part}:end -->\n"


def without(part: str, text: str) -> str:
    before, _, rest = text.partition(f"<!-- {part}:begin -->")
    return before + rest.partition(f"<!-- {part}:end -->")[2]

HEAD = """# Fidelity

Written by `scripts/fidelity.py`; do not edit. Memory histories recorded on real GPUs are held against the same programs run by `highwater exec` on
the simulated GPU, on the same torch: (action, size, stream) of every allocator event, position by position, segments included, nothing skipped and
nothing tolerated. The programs are our own (`fidelity/programs/`), written after the description that came with the traces; the traces lie
outside the repository.
"""

NOT_COVERED = """## What no real data covers here

These are simulated by the same means, but nothing recorded on a card stands against them:

- fused and foreach optimizers, cuDNN attention, flash and memory-efficient attention in training;
- several streams (`record_stream`, pending events), CUDA graphs and their private pools, expandable segments, `cudaMallocAsync`;
- compiled programs (Inductor, Triton), of which one trace exists that is not replayed here;
- several GPUs: data parallel, NCCL, and what NCCL itself takes outside the allocator;
- cards other than the H100: their profiles come from data sheets and public listings;
- torch other than the version of the traces: for another one the same host code runs, but no stream recorded on a card is compared;
- the size of a CUDA context, and so the last few hundred MiB of a card;
- the order of the driver's addresses: see the table of orders.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def mebibytes(size: int) -> str:
    return f"{size / 2**20:,.1f}"


def spread(recorded: int, simulated: int) -> str:
    """The recorded peak, and how many bytes the simulation is off."""
    return f"{mebibytes(recorded)} ({simulated - recorded:+,} B)" if simulated != recorded else f"{mebibytes(recorded)} (0 B)"


def trial_row(result: TrialResult) -> list[object]:
    default, device = result.default, result.trial.process.device
    pairs = zip(peak_fields(result.recorded), peak_fields(default.peaks))
    return [f"`{result.trial.trace}`", result.trial.what, device.profile, f"{default.comparison.recorded_events:,}",
            f"{default.comparison.differing:,}", *(spread(*pair) for pair in pairs)]


def peak_fields(peaks: Peaks) -> tuple[int, int, int]:
    return peaks.requested, peaks.allocated, peaks.reserved


def trials_section(findings: Findings, torch: str) -> str:
    head = ("trace", "what ran", "card", "events", "differing", "requested peak, MiB", "allocated", "reserved")
    return (f"## Recorded traces (torch {torch})\n\nPeaks are the recorded ones; in brackets, what the simulation adds or misses.\n\n"
            + table(head, map(trial_row, findings.trials)))


def blocks_section(findings: Findings) -> str:
    rows = [(f"`{result.trial.trace}`", result.trial.what, result.trial.process.device.profile, f"{result.recorded_events:,}",
             f"{result.comparison.recorded_events:,}", f"{result.comparison.differing:,}", f"{2 * result.workspaces:,}")
            for result in findings.blocks]
    head = ("trace", "what ran", "card", "events", "compared", "differing", "explained as workspaces")
    return ("## Recorded blocks\n\nThese traces tell blocks instead of requests. Of the first, the size of every block and the bytes allocated and "
            "reserved after every event are equal. Of the second, which an older cuDNN made, the listed workspaces are taken out of the recorded "
            "stream, each in its place, and ours out of the simulated one; every other block must be able to hold what was requested: "
            "rounded up, with at most 1 MiB left over in large ones.\n\n"
            + marked(CUDNN, table(head, rows) + "".join(f"\nNot tried: {reason}.\n" for reason in findings.skipped)))


def order_cell(recorded: Peaks, result: OrderResult) -> str:
    off = [f"{kind} {simulated - real:+,} B" for kind, real, simulated
           in zip(("requested", "allocated", "reserved"), peak_fields(recorded), peak_fields(result.peaks)) if real != simulated]
    return f"{result.comparison.differing:,} events" + (f", {', '.join(off)}" if off else "")


def orders_section(findings: Findings) -> str:
    orders = [result.order for result in findings.trials[0].orders] if findings.trials else []
    rows = [(f"`{result.trial.trace}`", *(order_cell(result.recorded, order) for order in result.orders))
            for result in findings.trials]
    return ("## Orders of addresses\n\nIn which order a driver hands out addresses is not known; the allocator breaks ties between equal "
            "free blocks by address. Differing events, and peaks where they differ, by order; the first is the simulation's default.\n\n"
            + table(("trace", *orders), rows))


def controls_section(findings: Findings) -> str:
    rows = [(result.control.what, f"`{result.control.process.program} {' '.join(result.control.process.arguments)}`".replace(" `", "`"),
             f"{result.comparison.recorded_events:,}", f"{result.comparison.differing:,}",
             result.comparison.first.told("right", "wrong") if result.comparison.first else "none")
            for result in findings.controls]
    return ("## Negative controls\n\nThe same program on a card of which one property is wrong must give another stream than on the right one. Both "
            "are simulated. Where none differs, the program is blind to that property, and another one is there for it.\n\n"
            + table(("wrong property", "program", "events", "differing", "first difference"), rows))


def allocator_section(allocator: AllocatorFindings) -> str:
    rows = [(f"`{replay.trace}`", replay.allocator, f"{replay.events:,}", f"{replay.mismatches:,}", f"{replay.allocations:,}",
             f"{replay.misplaced:,}", replay.difference or "none") for replay in allocator.replays]
    programs = allocator.programs
    return ("## The allocator alone\n\nThe requests of each trace, given to an oracle written from the allocator's published policy and to Torch's own "
            "allocator, both with `cudaMalloc` answering the recorded addresses (`fidelity/allocator/README.md`): every allocation must get the "
            "recorded address, and the blocks at the end must be those of the snapshot.\n\n"
            + table(("trace", "allocator", "events", "mismatches", "allocations", "at another address", "difference"), rows)
            + f"\n{programs.programs:,} random programs with {programs.events:,} events (sizes, streams, frees, settings, small capacities) in the oracle "
            f"and in Torch's allocator: {programs.difference or 'no difference'}.\n")


def cost_section(cost: StepCost) -> str:
    rest = cost.step_seconds[1:]
    rows = [("parameters", f"{cost.parameters:,}"), ("first step", f"{cost.step_seconds[0]:.2f} s"),
            (f"each of the {len(rest)} steps after it", f"{min(rest):.2f} to {max(rest):.2f} s"),
            ("host memory of the process, at most", f"{mebibytes(cost.peak_resident_bytes)} MiB"),
            ("memory of the simulated card, at most", f"{mebibytes(cost.device_peak_reserved_bytes)} MiB reserved")]
    return ("## What simulating a step costs\n\nA full AdamW step of the transformer in fp32, measured where this file was written.\n\n"
            + marked(MEASURED, table(("", ""), rows)))


def report(findings: Findings, torch: str) -> str:
    sections = [HEAD, trials_section(findings, torch)]
    if findings.blocks or findings.skipped:
        sections.append(blocks_section(findings))
    sections += [orders_section(findings), controls_section(findings)]
    if findings.allocator:
        sections.append(allocator_section(findings.allocator))
    if findings.cost:
        sections.append(cost_section(findings.cost))
    return "\n".join([*sections, NOT_COVERED])


def comparable(text: str, findings: Findings) -> str:
    """What must be the same on every machine that tried as much as the findings did."""
    text = without(MEASURED, text)
    return without(CUDNN, text) if findings.skipped else text
