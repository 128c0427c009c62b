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


def rounded(size: int) -> int:
    return -(-max(size, 1) // ROUNDING) * ROUNDING


class Heap:
    """Segments and the blocks in use, by address; sums of what they hold."""

    def __init__(self, segments: dict[int, int], in_use: dict[int, int]) -> None:
        self.starts = sorted(segments)
        self.segments = dict(segments)
        self.addresses = sorted(in_use)
        self.requested_of = dict(in_use)
        self.size_of = {address: self.block_size(address, size) for address, size in in_use.items()}
        self.requested = sum(in_use.values())
        self.allocated = sum(self.size_of.values())
        self.reserved = sum(segments.values())

    def free_space(self, address: int) -> int:
        """From `address` to the next block in use, or to the end of the segment."""
        start = self.starts[bisect_right(self.starts, address) - 1]
        end = start + self.segments[start]
        following = bisect_right(self.addresses, address)
        if following < len(self.addresses):
            end = min(end, self.addresses[following])
        return end - address

    def block_size(self, address: int, size: int) -> int:
        space, needed = self.free_space(address), rounded(size)
        splits = space - needed >= ROUNDING if needed <= SMALL_REQUEST else space - needed > LARGE_REST
        return needed if splits else space

    def apply(self, event: Event) -> None:
        if event.action == "segment_alloc":
            insort(self.starts, event.address)
            self.segments[event.address] = event.size
            self.reserved += event.size
        elif event.action == "segment_free":
            self.starts.remove(event.address)
            self.reserved -= self.segments.pop(event.address)
        elif event.action == "alloc":
            self.size_of[event.address] = self.block_size(event.address, event.size)
            self.requested_of[event.address] = event.size
            insort(self.addresses, event.address)
            self.requested += event.size
            self.allocated += self.size_of[event.address]
        elif event.action == "free_completed":
            self.addresses.remove(event.address)
            self.requested -= self.requested_of.pop(event.address)
            self.allocated -= self.size_of.pop(event.address)

    def peaks(self, events: Iterable[Event]) -> Peaks:
        """Of now and of the events, which are applied."""
        peaks = (self.requested, self.allocated, self.reserved)
        for event in events:
            self.apply(event)
            peaks = tuple(map(max, peaks, (self.requested, self.allocated, self.reserved)))
        return Peaks(*peaks)


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
    return undo(events, blocks).peaks(events)
