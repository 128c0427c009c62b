#!/usr/bin/env python3
"""Hold the allocator's event streams of suite cells against golden files.

    scripts/golden_streams.py HIGHWATER [--device DEVICE] [--update]

HIGHWATER is the program that was built. The golden files, fidelity/golden/<profile>/*.tsv.gz, are streams of the simulated card; on
a machine with that very card, --device cuda holds the real streams against them. --update writes them anew from the
simulation, after a change that was meant. Exit codes: 0 equal, 1 something differs (the first difference is printed),
2 no stream could be made, 77 there is no card here, or another one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "fidelity"))
sys.dont_write_bytecode = True

from captures import Capture, CapturedCell, CaptureError, capture  # noqa: E402
from comparison import compare, frees_in_order  # noqa: E402
from event_streams import StreamError, read_history  # noqa: E402

GOLDEN = ROOT / "fidelity" / "golden"
PROFILE = "h200"
DRIVER = "/proc/driver/nvidia/version"
SKIPPED = 77

# Every technique on a network without and one with attention; one card-filling cell.
CELLS = ("mlp/full/*", "gpt2-small/full/baseline/*", "gpt2-small/full/activation_checkpointing/*",
         "gpt2-small/full/autocast_fp16/*", "gpt2-small/full/set_to_none/*", "bert-large/full/baseline/*")


def golden_file(name: str) -> Path:
    return GOLDEN / PROFILE / (name.replace("/", "_") + ".tsv.gz")


def write_golden(name: str, cell: CapturedCell) -> None:
    """Without addresses: they are the driver's choice. The same events give the same bytes."""
    lines = ["action\taddr\tsize\tstream\twhere"]
    lines += [f"{event.action}\t0\t{event.size}\t{event.stream}\t{event.place}" for event in frees_in_order(cell.events)]
    path = golden_file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


def card_of(profile: str) -> str:
    return str(json.loads((ROOT / "simgpu" / "profiles" / f"{profile}.json").read_text(encoding="utf-8"))["name"])


def update(found: Capture) -> int:
    for old in (GOLDEN / PROFILE).glob("*.tsv.gz"):
        old.unlink()
    for name, cell in found.cells.items():
        if cell.missing:
            raise CaptureError(f"{name}: {cell.missing}")
        write_golden(name, cell)
        print(f"golden: {golden_file(name).relative_to(ROOT)}: {len(cell.events):,} events")
    return 0


def hold_against_golden(found: Capture) -> int:
    golden = {path.name.removesuffix(".tsv.gz"): path for path in sorted((GOLDEN / PROFILE).glob("*.tsv.gz"))}
    cells = {golden_file(name).name.removesuffix(".tsv.gz"): cell for name, cell in found.cells.items()}
    faults = [f"{name}: there is no golden file" for name in cells.keys() - golden.keys()]
    for name, path in golden.items():
        if name not in cells or cells[name].missing:
            faults.append(f"{name}: no stream: {cells[name].missing if name in cells else 'the suite has no such cell'}")
            continue
        compared = compare(read_history(path), frees_in_order(cells[name].events))
        if not compared.equal:
            faults.append(f"{name}: {compared.differing:,} of {compared.recorded_events:,} events differ; first, {compared.first}")
    for fault in faults:
        print(f"golden: {fault}", file=sys.stderr)
    print(f"golden: {len(golden)} streams held against {found.facts['device_name']} ({found.device}), {len(faults)} faults")
    return 1 if faults or not golden else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Hold event streams of suite cells against golden files.")
    parser.add_argument("highwater", type=Path)
    parser.add_argument("--device", default=f"sim:{PROFILE}")
    parser.add_argument("--update", action="store_true", help="write the golden files anew from the simulation")
    options = parser.parse_args(arguments)
    if options.device == "cuda" and not Path(DRIVER).exists() and "HIGHWATER_REQUIRE_GPU" not in os.environ:
        print(f"skipped: no NVIDIA driver is loaded here ({DRIVER} is missing)")
        return SKIPPED
    selection = [word for cell in CELLS for word in ("--filter", cell)]
    try:
        with tempfile.TemporaryDirectory() as scratch:
            found = capture(options.highwater, f"sim:{PROFILE}" if options.update else options.device, Path(scratch), selection)
        if options.update:
            return update(found)
        if found.facts["device_name"] != card_of(PROFILE):
            print(f"skipped: the golden streams are those of an {card_of(PROFILE)}, and this is an {found.facts['device_name']}")
            return SKIPPED
        return hold_against_golden(found)
    except (CaptureError, StreamError) as error:
        print(f"golden: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
