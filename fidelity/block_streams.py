"""Traces that tell blocks instead of requests: one row per block taken (+) or given back (-), of profilers' timelines.

A block holds its request, rounded up; a large block may also hold a rest that was too small to split off, and whether
one was left depends on everything that happened before the trace began.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from event_streams import Block, Event, StreamError, open_table
from recorded_peaks import LARGE_REST, SMALL_REQUEST, rounded, undo


@dataclass(frozen=True)
class BlockEvent:
    """`size` has the sign of the event. Totals are those after it, where the trace tells them."""

    size: int
    allocated: int | None = None
    reserved: int | None = None
    address: int = 0
    requested: int | None = None  # known for simulated blocks only
    place: str = ""

    def key(self) -> tuple[int, int | None, int | None]:
        return self.size, self.allocated, self.reserved

    def __str__(self) -> str:
        totals = "" if self.allocated is None else f", {self.allocated:,} B allocated and {self.reserved:,} B reserved after it"
        return (f"block of {abs(self.size):,} B {'taken' if self.size > 0 else 'given back'}{totals}"
                + (f" in {self.place}" if self.place else ""))


def read_block_trace(path: Path) -> list[BlockEvent]:
    """Columns sign and block_bytes, or bytes (signed), total_allocated and total_reserved."""
    found = []
    for number, row in enumerate(open_table(path), 2):
        try:
            if "sign" in row:
                found.append(BlockEvent(int(row["sign"]) * int(row["block_bytes"])))
            else:
                found.append(BlockEvent(int(row["bytes"]), int(row["total_allocated"]), int(row["total_reserved"]),
                                        int(row["addr_id"])))
        except (KeyError, TypeError, ValueError) as error:
            raise StreamError(f"{path}:{number}: not a block event ({error!r})") from error
    if not found:
        raise StreamError(f"{path} holds no event")
    return found


def block_stream(events: Sequence[Event], blocks: Sequence[Block]) -> list[BlockEvent]:
    """A simulated history as a profiler would have told it; `blocks` are those that were there at its end."""
    heap = undo(events, blocks)
    found = []
    for event in events:
        block = heap.size_of.get(event.address, 0)
        heap.apply(event)
        if event.action in ("alloc", "free_completed"):
            size = heap.size_of[event.address] if event.action == "alloc" else -block
            found.append(BlockEvent(size, heap.allocated, heap.reserved, event.address, event.size, event.place))
    return found


def without_totals(stream: Sequence[BlockEvent]) -> list[BlockEvent]:
    return [replace(event, allocated=None, reserved=None) for event in stream]


# --- Convolution workspaces ------------------------------------------------------------------------


def workspaces_of_a_step(convolutions: list[object], sizes: dict[str, int]) -> list[int]:
    """Those that one training step takes, in order: each convolution forward, then, last one first, the gradients of
    its input (which the very first lacks) and of its weight. `sizes` has one entry per distinct convolution and
    direction, numbered as they first appear; 0 is a plan without workspace."""
    calls = [("forward", json.dumps(convolution)) for convolution in convolutions]
    for position in reversed(range(len(convolutions))):
        gradients = ("input", "weight") if position else ("weight",)
        calls += [(direction, json.dumps(convolutions[position])) for direction in gradients]
    number = {call: index for index, call in enumerate(dict.fromkeys(calls))}
    if len(number) != len(sizes):
        raise StreamError(f"the model has {len(number)} distinct convolution calls, but {len(sizes)} workspaces are listed")
    return [size for call in calls if (size := sizes[str(number[call])])]


def is_transient(stream: Sequence[BlockEvent], at: int) -> bool:
    """A block that is given back before anything else happens; by its size alone where a trace tells no address."""
    if at + 1 == len(stream) or stream[at].size < 0:
        return False
    return (stream[at + 1].size, stream[at + 1].address) == (-stream[at].size, stream[at].address)


@dataclass(frozen=True)
class Explained:
    """A recorded stream in two: its tensors, and the workspaces that were taken out of it."""

    tensors: list[BlockEvent]
    workspaces: int
    missing: int  # workspaces that were expected and did not appear


def take_out_workspaces(stream: Sequence[BlockEvent], expected: Sequence[int]) -> Explained:
    """Every workspace must appear in order, as a transient block of just its size."""
    tensors, at, taken = [], 0, 0
    while at < len(stream):
        if taken < len(expected) and stream[at].size == expected[taken] and is_transient(stream, at):
            taken, at = taken + 1, at + 2
        else:
            tensors.append(stream[at])
            at += 1
    return Explained(tensors, taken, len(expected) - taken)


def holds(recorded: BlockEvent, simulated: BlockEvent) -> bool:
    """Could the recorded block hold what was requested in the simulation?"""
    if simulated.requested is None or (recorded.size > 0) != (simulated.size > 0):
        return False
    rest = abs(recorded.size) - rounded(simulated.requested)
    return rest == 0 if simulated.requested <= SMALL_REQUEST else 0 <= rest <= LARGE_REST


def align(recorded: Sequence[BlockEvent], simulated: Sequence[BlockEvent]) -> Iterator[BlockEvent]:
    """The simulated stream without its own workspaces (transient blocks where the recorded stream has none that fits), each
    block with the recorded size where that could hold its request: equal to the recorded stream if all of it fits."""
    at = position = 0
    while at < len(simulated):
        fits = position < len(recorded) and holds(recorded[position], simulated[at])
        if is_transient(simulated, at) and not (fits and is_transient(recorded, position)):
            at += 2
            continue
        yield replace(recorded[position], place=simulated[at].place) if fits else simulated[at]
        at, position = at + 1, position + 1
