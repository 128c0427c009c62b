"""Allocator event streams and where they come from: recorded traces, and what our programs record."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class StreamError(Exception):
    """A stream cannot be used; the text names the file."""


@dataclass(frozen=True)
class Event:
    """One step of torch's caching allocator. `place` says who asked: operators, or a line of a program."""

    action: str
    size: int
    stream: int
    address: int = 0
    place: str = ""

    def key(self) -> tuple[str, int, int]:
        """What must be equal; addresses are the driver's choice."""
        return self.action, self.size, self.stream

    def __str__(self) -> str:
        return f"{self.action} of {self.size:,} B on stream {self.stream}" + (f" in {self.place}" if self.place else "")


def open_table(path: Path) -> Iterator[dict[str, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise StreamError(f"{path} cannot be read: {error}") from error


def place_of(row: dict[str, str]) -> str:
    """`outer_op/inner_op (phase)` of a recorded trace, or the line of a program of ours."""
    if "where" in row:
        return row["where"] or ""
    outer, inner, phase = (row.get(name) or "" for name in ("outer_op", "inner_op", "phase"))
    operators = outer if outer == inner else f"{outer}/{inner}"
    return f"{operators} ({phase})" if phase else operators


def read_history(path: Path) -> list[Event]:
    """A memory history: columns action, addr, size, stream, and who asked."""
    events = []
    for number, row in enumerate(open_table(path), 2):
        try:
            events.append(Event(row["action"], int(row["size"]), int(row["stream"]), int(row["addr"]), place_of(row)))
        except (KeyError, TypeError, ValueError) as error:
            raise StreamError(f"{path}:{number}: not an allocator event ({error!r})") from error
    if not events:
        raise StreamError(f"{path} holds no event")
    return events


@dataclass(frozen=True)
class Block:
    """One block of the allocator at the moment a trace was dumped."""

    segment: int
    segment_size: int
    address: int
    size: int
    requested: int
    in_use: bool


def read_blocks(path: Path) -> list[Block]:
    return [Block(int(row["segment_addr"]), int(row["total_size"]), int(row["block_addr"]), int(row["block_size"]),
                  int(row["requested_size"]), row["state"] != "inactive") for row in open_table(path)]
