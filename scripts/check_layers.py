#!/usr/bin/env python3
"""Check that every C++ file includes only what its layer may.

    check_layers.py [REPOSITORY]

Prints file:line: rule for each violation and exits 1 if there was one. The tables below are the
rules. System headers are free, but for those of Torch and CUDA.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

STAGES = ("core", "config", "matrix", "measure", "workload", "run", "launch", "doctor", "record", "compare", "report",
          "exec", "export", "page")

# Layer -> what it may include besides itself: whole layers, or single headers of one.
MAY_INCLUDE: dict[str, tuple[str, ...]] = {
    "harness/core": (),
    "harness/config": ("harness/core",),
    "harness/matrix": ("harness/core", "harness/config"),
    "harness/measure": ("harness/core",),
    "harness/workload": ("harness/core", "harness/measure", "harness/matrix/cell.hpp"),
    # The Torch side, which runs one cell.
    "harness/run": ("harness/core", "harness/config", "harness/matrix", "harness/measure", "harness/workload"),
    # The Torch-free parent, which starts one process a cell.
    "harness/launch": ("harness/core", "harness/config", "harness/matrix", "harness/measure/metric.hpp",
                       "harness/measure/measurement.hpp", "harness/run/outcome.hpp", "harness/run/request.hpp"),
    # What this machine has and lacks.
    "harness/doctor": ("harness/core", "harness/matrix", "harness/launch"),
    "harness/record": ("harness/core", "harness/matrix", "harness/measure/metric.hpp",
                       "harness/measure/measurement.hpp", "harness/measure/peak_profile.hpp", "harness/run/outcome.hpp"),
    "harness/compare": ("harness/core", "harness/config/budget_file.hpp", "harness/matrix/cell.hpp",
                        "harness/measure/metric.hpp", "harness/measure/peak_profile.hpp",
                        "harness/measure/statistics.hpp", "harness/record", "harness/run/outcome.hpp"),
    "harness/report": ("harness/core", "harness/config/suite_config.hpp", "harness/matrix/cell.hpp",
                       "harness/measure/metric.hpp", "harness/measure/measurement.hpp",
                       "harness/measure/inspection.hpp", "harness/record", "harness/compare",
                       "harness/run/outcome.hpp"),
    # Files for other people's tools.
    "harness/export": ("harness/core", "harness/matrix/cell.hpp", "harness/measure/metric.hpp",
                       "harness/measure/measurement.hpp", "harness/measure/event_stream.hpp", "harness/record",
                       "harness/compare", "harness/report/ends_text.hpp", "harness/run/outcome.hpp"),
    # One HTML page of everything, for a browser.
    "harness/page": ("harness/core", "harness/matrix/catalog.hpp", "harness/matrix/cell.hpp",
                     "harness/measure/metric.hpp", "harness/measure/measurement.hpp",
                     "harness/measure/peak_profile.hpp", "harness/record", "harness/compare",
                     "harness/run/outcome.hpp"),
    # `highwater exec`: reads what the simulated GPU's processes leave, and nothing else of it.
    "harness/exec": ("harness/core", "harness/launch/pipe.hpp", "harness/launch/spawn_text.hpp",
                     "harness/matrix/device.hpp", "harness/report/table.hpp",
                     "simgpu/device/report_page.hpp"),
    "models": ("harness/core", "harness/workload"),
    "techniques": ("harness/core", "harness/workload"),
    # It stands in for NVIDIA's libraries and must not know Highwater.
    "simgpu": (),
    # Compiled against Torch, because it asks Torch's allocator about itself.
    "simgpu/probe": ("simgpu",),
    # The oracle judges Torch's allocator and must not know it; what puts both side by side may.
    "fidelity/allocator": (),
    "fidelity/libtorch": ("fidelity/allocator",),
    "benchmarks": tuple(f"harness/{stage}" for stage in STAGES),
}
FREE = ("tests", "examples")  # may include anything

TORCH = re.compile(r"(?:torch|ATen|c10|caffe2)/")
CUDA = re.compile(r"(?:cuda|cublas|cudnn|cufft|cupti|curand|cusolver|cusparse|nccl|nvrtc|nvml|nvtx|nvToolsExt"
                  r"|driver_types|vector_types|crt/|generated_cuda)")
TORCH_AND_CUDA = (("Torch", TORCH), ("CUDA", CUDA))
# Layer -> headers it must not reach, not even through other headers.
MUST_NOT_REACH: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    f"harness/{stage}": TORCH_AND_CUDA
    for stage in ("core", "config", "matrix", "launch", "doctor", "record", "compare", "report", "exec", "export",
                  "page")
}
MUST_NOT_REACH["simgpu"] = (("Torch", TORCH),)
MUST_NOT_REACH["fidelity/allocator"] = TORCH_AND_CUDA

SUFFIXES = {".hpp", ".h", ".cpp", ".cc", ".inc", ".ipp", ".cu", ".cuh"}
NOT_OURS = re.compile(r"\.|build|results$|docs$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path: str) -> str:
    """harness/core/bytes.hpp -> harness/core; models/mlp.cpp -> models."""
    parts = path.split("/")
    folder = "/".join(parts[:2])
    return folder if len(parts) > 2 and (parts[0] == "harness" or folder in MAY_INCLUDE) else parts[0]


def source_files(root: Path) -> Iterator[str]:
    for folder in sorted(entry for entry in root.iterdir() if entry.is_dir() and not NOT_OURS.match(entry.name)):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root).as_posix()


class Tree:
    def __init__(self, root: Path) -> None:
        self.root = root

    @cache
    def includes(self, file: str) -> list[tuple[int, str]]:
        lines = (self.root / file).read_text(encoding="utf-8", errors="replace").splitlines()
        matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
        return [(number, match[2]) for number, match in matches if match]

    @cache
    def resolve(self, file: str, included: str) -> str | None:
        """The file of ours that is meant, however it is spelled; None for a system header."""
        for base in ((self.root / file).parent, self.root, self.root / file.split("/")[0]):
            path = (base / included).resolve()
            if path.is_file() and path.is_relative_to(self.root):
                return path.relative_to(self.root).as_posix()
        first = included.split("/")[0]
        return included if first in {"harness", *MAY_INCLUDE, *FREE} else None

    def reached(self, file: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        """(header that is not ours, the file of ours that includes it), through all our headers."""
        seen.add(file)
        for _, included in self.includes(file):
            ours = self.resolve(file, included)
            if ours is None:
                yield included, file
            elif ours not in seen and (self.root / ours).is_file():
                yield from self.reached(ours, seen)


def check_layer(tree: Tree, file: str) -> Iterator[str]:
    layer = layer_of(file)
    for number, included in tree.includes(file):
        ours = tree.resolve(file, included)
        if ours is None or layer_of(ours) in (layer, *MAY_INCLUDE[layer]) or ours in MAY_INCLUDE[layer]:
            continue
        allowed = ", ".join(MAY_INCLUDE[layer]) or "nothing else of ours"
        yield f"{file}:{number}: {layer} may not include {ours} (it may include: {allowed})"


def check_reach(tree: Tree, file: str) -> Iterator[str]:
    layer = layer_of(file)
    for number, included in tree.includes(file):
        ours = tree.resolve(file, included)
        if ours is not None and not (tree.root / ours).is_file():
            continue
        for header, includer in [(included, file)] if ours is None else tree.reached(ours, {file}):
            for name, pattern in MUST_NOT_REACH.get(layer, ()):
                if pattern.match(header):
                    through = "" if includer == file else f", through {includer}"
                    yield f"{file}:{number}: {layer} must stay free of {name}, but includes <{header}>{through}"


def check(root: Path) -> list[str]:
    tree = Tree(root.resolve())
    problems: list[str] = []
    for file in source_files(tree.root):
        layer = layer_of(file)
        if layer in FREE:
            continue
        if layer not in MAY_INCLUDE:
            problems.append(f"{file}:1: {layer} is no layer; give it a row in scripts/check_layers.py")
            continue
        problems += [*check_layer(tree, file), *check_reach(tree, file)]
    return problems


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    files = sum(1 for _ in source_files(root))
    if files == 0:
        print(f"{root}: no C++ file found, so nothing was checked", file=sys.stderr)
        return 2
    problems = check(root)
    print("\n".join(problems) if problems else f"layers: {files} files, no violation")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
