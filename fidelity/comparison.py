"""Are two event streams the same, and if not, where do they part?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Protocol

from event_streams import Event


class Comparable(Protocol):
    """An event of either kind of stream; its text names it in a message."""

    def key(self) -> object:
        """What must be equal."""


@dataclass(frozen=True)
class Difference:
    """The first position where the streams differ; None where one of them had ended."""

    position: int
    recorded: Comparable | None
    simulated: Comparable | None

    def told(self, first: str, second: str) -> str:
        """`first` and `second` say what the two streams are."""
        events = (str(event) if event else "nothing, the stream had ended" for event in (self.recorded, self.simulated))
        return f"event {self.position}: " + "; ".join(f"{name} {event}" for name, event in zip((first, second), events))

    def __str__(self) -> str:
        return self.told("recorded", "simulated")


@dataclass(frozen=True)
class Comparison:
    recorded_events: int
    simulated_events: int
    differing: int  # positions at which the streams differ, those that only one of them has included
    first: Difference | None

    @property
    def equal(self) -> bool:
        return self.differing == 0


def key(event: Comparable | None) -> object:
    return event.key() if event else None


def compare(recorded: Sequence[Comparable], simulated: Sequence[Comparable]) -> Comparison:
    """Position by position, nothing skipped, nothing tolerated."""
    differing = [position for position, pair in enumerate(zip_longest(recorded, simulated)) if key(pair[0]) != key(pair[1])]
    first = None
    if differing:
        at = differing[0]
        first = Difference(at, *(stream[at] if at < len(stream) else None for stream in (recorded, simulated)))
    return Comparison(len(recorded), len(simulated), len(differing), first)


def frees_in_order(stream: Sequence[Event]) -> list[Event]:
    """The stream with each unbroken run of frees sorted.

    Autocast keeps its casts in a hash table keyed by address and drops them all at once, so the order inside such a run
    moves from process to process, on one card. Nothing is allocated between, and what is free afterwards is the same.
    """
    ordered: list[Event] = []
    for is_free, run in groupby(stream, lambda event: event.action.startswith("free_")):
        ordered += sorted(run, key=Event.key) if is_free else run
    return ordered
