"""Runs one of our programs, with a real torch, on a simulated GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"
PROFILES = ROOT / "simgpu" / "profiles"

TIME_LIMIT_SECONDS = 300
CUDA_MAJOR = 12


class SimulationError(Exception):
    """Something could not be prepared or run; the text is the whole message."""


def last_line_of(*command: object) -> str:
    """What a preparing script prints: the place of what it prepared. Its progress goes to stderr."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SimulationError(f"{Path(str(command[1])).name} failed (see above)")
    return done.stdout.strip().splitlines()[-1]


def run_program(command: Sequence[object], environment: Mapping[str, str], accepted: Sequence[int] = (0,)) -> str:
    """What it prints; a program that ends otherwise, or not in time, is an error with the end of what it said."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, env=dict(environment), capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise SimulationError(f"{' '.join(words)} took more than {TIME_LIMIT_SECONDS} s") from None
    if done.returncode not in accepted:
        said = "\n".join(done.stderr.strip().splitlines()[-12:])
        raise SimulationError(f"{' '.join(words)} ended with code {done.returncode}:\n{said}")
    return done.stdout


def built_program(build: Path, name: str) -> Path:
    path = build / "bin" / name
    if not path.exists():
        raise SimulationError(f"{path} is not there; build it: cmake --build {build} --target {name}")
    return path


def clean_environment() -> dict[str, str]:
    """The caller's, without what would change what torch or the simulation does."""
    deciding = ("SIMGPU_", "PYTORCH_", "TORCH_", "CUBLAS", "CUDNN_", "CUDA_VISIBLE", "LD_PRELOAD")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(deciding)}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Device:
    """A card, with values of its profile changed where a negative control wants that; the simulation refuses unknown ones."""

    profile: str
    changes: tuple[tuple[str, int], ...] = ()

    def write(self, folder: Path) -> Path:
        profile = json.loads((PROFILES / f"{self.profile}.json").read_text(encoding="utf-8"))
        path = folder / f"{self.profile}.json"
        path.write_text(json.dumps(profile | dict(self.changes)), encoding="utf-8")
        return path


def prepare_cudnn() -> Path | None:
    """For the CUDA of the traces' torch. None where the user does without (scripts/setup.sh has the same variable)."""
    if os.environ.get("HIGHWATER_SKIP_CUDNN") == "1":
        return None
    return Path(last_line_of("bash", ROOT / "scripts" / "install_cudnn.sh", CUDA_MAJOR))


@dataclass(frozen=True)
class Torch:
    """One torch, and the program that simulates a GPU under it."""

    version: str
    python: Path
    highwater: Path
    cudnn: Path | None  # the folder of NVIDIA's own cuDNN, None where there is none

    @classmethod
    def prepare(cls, version: str, build: Path) -> Torch:
        python = Path(last_line_of(sys.executable, ROOT / "scripts" / "install_python_torch.py", version))
        return cls(version, python, built_program(build, "highwater"), prepare_cudnn())

    def run(self, program: str, arguments: Sequence[str], device: Device, output: Path, order: str = "falling") -> None:
        """`program` writes what it found into `output`, which is made; `exec.json` there is what `highwater exec` reports."""
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            flags = ["--device", device.write(Path(scratch)), "--order", order, "--report", output / "exec.json"]
            flags += ["--cudnn", self.cudnn] if self.cudnn else []
            run_program([self.highwater, "exec", *flags, "--", self.python, PROGRAMS / program, "--output", output, *arguments],
                        clean_environment())
