"""What a fidelity run found; made by scripts/fidelity.py, told by fidelity_report.py."""

from __future__ import annotations

from dataclasses import dataclass, field

from allocator_trials import AllocatorFindings
from comparison import Comparison
from recorded_peaks import Peaks
from trials import BlockTrial, Control, Trial


@dataclass(frozen=True)
class OrderResult:
    """One run repeated with another order of addresses."""

    order: str
    comparison: Comparison
    peaks: Peaks


@dataclass(frozen=True)
class TrialResult:
    trial: Trial
    recorded: Peaks
    orders: tuple[OrderResult, ...]  # the simulation's default order first
    told: Peaks | None = None  # what `highwater exec` reports, where the run is all that its process did

    @property
    def default(self) -> OrderResult:
        return self.orders[0]

    @property
    def equal(self) -> bool:
        return self.default.comparison.equal and self.default.peaks == self.recorded


@dataclass(frozen=True)
class BlockResult:
    trial: BlockTrial
    recorded_events: int
    comparison: Comparison
    workspaces: int = 0  # recorded ones, each where a convolution is, of the listed size
    missing: int = 0  # workspaces that are listed, but not in the trace where they belong


@dataclass(frozen=True)
class ControlResult:
    control: Control
    comparison: Comparison  # right card against wrong card

    @property
    def noticed(self) -> bool:
        return not self.comparison.equal


# What simulating a full step of 3.4 G parameters may cost. The fastest step counts: others had to share the processor.
STEP_SECONDS_LIMIT = 1.0
RESIDENT_BYTES_LIMIT = 600 << 20


@dataclass(frozen=True)
class StepCost:
    """What simulating a step of a large model costs this machine."""

    parameters: int
    step_seconds: tuple[float, ...]
    peak_resident_bytes: int
    device_peak_reserved_bytes: int


@dataclass(frozen=True)
class Findings:
    trials: tuple[TrialResult, ...] = ()
    blocks: tuple[BlockResult, ...] = ()
    controls: tuple[ControlResult, ...] = ()
    allocator: AllocatorFindings | None = None
    cost: StepCost | None = None
    skipped: tuple[str, ...] = field(default=())  # what was not tried, each with its reason

    def faults(self) -> list[str]:
        """A sentence for everything that is not as it must be."""
        found = []
        for result in self.trials:
            name, default = result.trial.trace, result.default
            if not default.comparison.equal:
                found.append(f"{name}: {default.comparison.differing} events differ; {default.comparison.first}")
            if default.peaks != result.recorded:
                found.append(f"{name}: recorded {result.recorded}, simulated {default.peaks}")
            if result.told and result.told != default.peaks:
                found.append(f"{name}: highwater exec reports {result.told}, torch inside says {default.peaks}")
        for result in self.blocks:
            name, comparison = result.trial.trace, result.comparison
            if not comparison.equal:
                found.append(f"{name}: {comparison.differing} events differ; {comparison.first}")
            if result.missing:
                found.append(f"{name}: {result.missing} workspaces are not where a convolution is")
        found += [f"control: {result.control.process.program} does not notice {result.control.what}"
                  for result in self.controls if result.control.must_notice and not result.noticed]
        found += self.allocator.faults() if self.allocator else []
        if self.cost and min(self.cost.step_seconds) >= STEP_SECONDS_LIMIT:
            found.append(f"a simulated step took {min(self.cost.step_seconds):.2f} s; it may take {STEP_SECONDS_LIMIT:.0f} s")
        if self.cost and self.cost.peak_resident_bytes >= RESIDENT_BYTES_LIMIT:
            found.append(f"the simulation held {self.cost.peak_resident_bytes:,} B of host memory; "
                         f"{RESIDENT_BYTES_LIMIT:,} B are allowed")
        return found
