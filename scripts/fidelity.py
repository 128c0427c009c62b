#!/usr/bin/env python3
"""Hold the simulated GPU against memory histories recorded on real ones, and write docs/fidelity.md.

    scripts/fidelity.py [--check]
    scripts/fidelity.py --real DIR [--highwater PROGRAM]

Installs a Python with the traces' torch, once, runs the programs of fidelity/programs/ under `highwater exec` and compares. --check leaves docs/fidelity.md alone and says whether it is what would be written,
but for measured times. Convolutions need NVIDIA's own cuDNN, which is downloaded once; with HIGHWATER_SKIP_CUDNN=1 those
traces are left out, and that is said. --real holds a capture of a real GPU (scripts/gpu_capture.sh) against the simulation of the same
card instead, and writes DIR/fidelity.md. Exit codes: 0 all equal, 1 something differs (the first difference is printed),
2 a program could not be run, 77 there are no traces here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "fidelity"))
sys.dont_write_bytecode = True

import real_device  # noqa: E402
from captures import CaptureError, capture, read_capture  # noqa: E402
from event_streams import StreamError  # noqa: E402
from fidelity_report import comparable, report  # noqa: E402
from laboratory import find_out  # noqa: E402
from results import Findings  # noqa: E402
from simulation import SimulationError, Torch  # noqa: E402
from trials import BLOCK_TRIALS, TORCH, TRIALS  # noqa: E402

DOCUMENT = ROOT / "docs" / "fidelity.md"
TRACES = ROOT.parent / "shared" / "data" / "traces"
SKIPPED = 77


def absent_files(traces: Path) -> list[str]:
    wanted = [f"{trial.trace}.{part}.tsv.gz" for trial in TRIALS for part in ("events", "segments")]
    wanted += [name for trial in BLOCK_TRIALS for name in (f"{trial.trace}.tsv.gz", trial.workspaces) if name]
    return [name for name in wanted if not (traces / name).is_file()]


def settle(findings: Findings, check: bool) -> int:
    """Says what is wrong, and writes or checks the document."""
    for line in (*findings.faults(), *(f"not tried: {reason}" for reason in findings.skipped)):
        print(f"fidelity: {line}", file=sys.stderr)
    text = report(findings, TORCH)
    if not check:
        DOCUMENT.write_text(text, encoding="utf-8")
    elif not DOCUMENT.exists() or comparable(DOCUMENT.read_text(encoding="utf-8"), findings) != comparable(text, findings):
        print("fidelity: docs/fidelity.md is not what this run found; write it again with scripts/fidelity.py", file=sys.stderr)
        return 1
    return 1 if findings.faults() else 0


def hold_against_real(folder: Path, highwater: Path) -> int:
    """Every cell that the simulation can run, against what the card did."""
    real = read_capture(folder)
    profile = real_device.profile_named(real.facts["device_name"])
    with tempfile.TemporaryDirectory() as scratch:
        simulated = capture(highwater, f"sim:{profile}", Path(scratch))
    cells = real_device.results(real, simulated)
    text = real_device.report(real, cells, real_device.profile_differences(folder, profile))
    (folder / "fidelity.md").write_text(text, encoding="utf-8")
    differing = [result for result in cells if not result.equal]
    for result in differing:
        print(f"fidelity: {result.name}: {result.real.missing or result.comparison.first}", file=sys.stderr)
    print(f"fidelity: {len(cells) - len(differing)} of {len(cells)} cells equal; {folder / 'fidelity.md'}")
    return 1 if differing or not cells else 0


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Hold the simulated GPU against histories recorded on real ones.")
    parser.add_argument("--check", action="store_true", help="do not write docs/fidelity.md, hold it against the findings")
    parser.add_argument("--traces", type=Path, default=TRACES, metavar="DIR", help="where the recorded traces lie")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR",
                        help="build folder with highwater and the programs that try the allocator alone (default: build)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the simulated streams in this folder")
    parser.add_argument("--real", type=Path, metavar="DIR", help="compare this capture of a real GPU with the simulation")
    parser.add_argument("--highwater", type=Path, default=ROOT / "build" / "bin" / "highwater", metavar="PROGRAM",
                        help="the program that simulates for --real (default: build/bin/highwater)")
    return parser.parse_args(arguments)


def run_safely(work: Callable[[], int]) -> int:
    try:
        return work()
    except (SimulationError, StreamError, CaptureError) as error:
        print(f"fidelity: error: {error}", file=sys.stderr)
        return 2


def hold_against_traces(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        findings = find_out(Torch.prepare(TORCH, options.build), options.traces, options.build, folder)
        return settle(findings, options.check)


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    if options.real:
        return run_safely(lambda: hold_against_real(options.real, options.highwater))
    if absent := absent_files(options.traces):
        print(f"skipped: {options.traces} does not hold the recorded traces {', '.join(absent)}")
        return SKIPPED
    return run_safely(lambda: hold_against_traces(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
