"""The allocator alone: the oracle of its published policy (allocator/README.md) and Torch's own, given the same requests."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulation import PROFILES, built_program, clean_environment, run_program

REPLAYED = ("kk_memory_ctx128_fullstep", "kk_memory_ctx128_forward_mixed", "kk_memory_ctx256_forward_",
            "kk_memory_ctx512_forward_mixed", "kk_memory_ctx512_fullstep_", "kk_memlogs_ctx128_forward")
PROGRAMS = 1_000


@dataclass(frozen=True)
class Replay:
    """One trace in one allocator."""

    trace: str
    allocator: str
    events: int
    mismatches: int
    allocations: int
    misplaced: int  # allocations at another address than the recorded one
    difference: str  # "" where all is equal, the blocks at the end included


@dataclass(frozen=True)
class RandomPrograms:
    programs: int
    events: int
    difference: str


@dataclass(frozen=True)
class AllocatorFindings:
    replays: tuple[Replay, ...]
    programs: RandomPrograms

    def faults(self) -> list[str]:
        found = [f"{replay.trace} in {replay.allocator}: {replay.difference}" for replay in self.replays if replay.difference]
        return found + ([f"random programs: {self.programs.difference}"] if self.programs.difference else [])


def ask(build: Path, program: str, *arguments: object) -> Any:
    """Its JSON; it also exits with 1 where something differs, which the JSON says too."""
    path = built_program(build, f"highwater_allocator_{program}")
    environment = clean_environment() | {"SIMGPU_PROFILE": str(PROFILES / "h100-sxm.json")}
    return json.loads(run_program([path, *arguments], environment, accepted=(0, 1)))


def difference_of(answer: Any) -> str:
    return "" if answer["equal"] else answer["first_difference"] or "the blocks at the end differ"


def unpack(path: Path, folder: Path) -> Path:
    unpacked = folder / path.stem
    with gzip.open(path, "rb") as source, unpacked.open("wb") as target:
        shutil.copyfileobj(source, target)
    return unpacked


def replay(build: Path, traces: Path, scratch: Path, trace: str) -> list[Replay]:
    events, segments = (unpack(traces / f"{trace}.{part}.tsv.gz", scratch) for part in ("events", "segments"))
    found = []
    for program, allocator in (("oracle", "the oracle"), ("replay", "Torch's allocator")):
        answer = ask(build, program, "--events", events, "--segments", segments)
        found.append(Replay(trace, allocator, answer["events"], answer["mismatches"], answer["allocations"],
                            answer["misplaced_allocations"], difference_of(answer)))
    return found


def try_allocators(build: Path, traces: Path, scratch: Path) -> AllocatorFindings:
    scratch.mkdir(parents=True, exist_ok=True)
    replays = [found for trace in REPLAYED for found in replay(build, traces, scratch, trace)]
    answer = ask(build, "programs", "--count", PROGRAMS)
    return AllocatorFindings(tuple(replays), RandomPrograms(answer["programs"], answer["events"], difference_of(answer)))
