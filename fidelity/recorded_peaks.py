"""The peaks that a recorded trace implies: requested, allocated and reserved bytes while it lasted.

A trace tells requests and addresses; how large a block was made is the allocator's rule (what is left of a free
block is split off if it is at least 512 B in the small pool, more than 1 MiB in the large one), applied to the
free space that stood at the address. What was there before the trace began follows by undoing its events.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from event_streams import Block, Event

ROUNDING = 512
SMALL_REQUEST = 1 << 20  # at most this comes from the small pool
LARGE_REST = 1 << 20


@dataclass(frozen=True)
class Peaks:
    requested: int
    allocated: int
    reserved: int


class Heap:
    """Segments and the blocks in use, by address; sums of what they hold."""

    def __init__(self, segments: dict[int, int], in_use: dict[int, int]) -> None:
        self.starts = sorted(segments)
        self.segments = dict(segments)
        self.addresses = sorted(in_use)
        self.requested_of = dict(in_use)
        self.size_of = {address: self.block_size(address, size) for address, size in in_use.items()}

    def free_space(self, address: int) -> int:
        """From `address` to the next block in use, or to the end of the segment."""
        start = self.starts[bisect_right(self.starts, address) - 1]
        end = start + self.segments[start]
        following = bisect_right(self.addresses, address)
        if following < len(self.addresses):
            end = min(end, self.addresses[following])
        return end - address

    def block_size(self, address: int, size: int) -> int:
        rounded = -(-max(size, 1) // ROUNDING) * ROUNDING
        space = self.free_space(address)
        splits = space - rounded >= ROUNDING if rounded <= SMALL_REQUEST else space - rounded > LARGE_REST
        return rounded if splits else space

    def apply(self, event: Event) -> None:
        if event.action == "segment_alloc":
            insort(self.starts, event.address)
            self.segments[event.address] = event.size
        elif event.action == "segment_free":
            self.starts.remove(event.address)
            del self.segments[event.address]
        elif event.action == "alloc":
            self.size_of[event.address] = self.block_size(event.address, event.size)
            self.requested_of[event.address] = event.size
            insort(self.addresses, event.address)
        elif event.action == "free_completed":
            self.addresses.remove(event.address)
            del self.size_of[event.address], self.requested_of[event.address]


def undo(events: Sequence[Event], blocks: Iterable[Block]) -> Heap:
    """The heap as it was before the events, from the blocks that were there after them."""
    segments, in_use = {}, {}
    for block in blocks:
        segments[block.segment] = block.segment_size
        if block.in_use:
            in_use[block.address] = block.requested
    for event in reversed(events):
        if event.action == "segment_alloc":
            del segments[event.address]
        elif event.action == "segment_free":
            segments[event.address] = event.size
        elif event.action == "alloc":
            del in_use[event.address]
        elif event.action == "free_completed":
            in_use[event.address] = event.size
    return Heap(segments, in_use)


def recorded_peaks(events: Sequence[Event], blocks: Iterable[Block]) -> Peaks:
    heap = undo(events, blocks)
    now = [sum(heap.requested_of.values()), sum(heap.size_of.values()), sum(heap.segments.values())]
    peaks = list(now)
    for event in events:
        size = heap.size_of.get(event.address, 0)
        heap.apply(event)
        if event.action == "alloc":
            now[0] += event.size
            now[1] += heap.size_of[event.address]
        elif event.action == "free_completed":
            now[0] -= event.size
            now[1] -= size
        elif event.action.startswith("segment_"):
            now[2] += event.size if event.action == "segment_alloc" else -event.size
        peaks = [max(pair) for pair in zip(peaks, now)]
    return Peaks(*peaks)
