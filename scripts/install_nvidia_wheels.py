#!/usr/bin/env python3
"""Install the NVIDIA libraries that the unpacked torch wheel asks for, beside it.

    install_nvidia_wheels.py ROOT      ROOT holds torch/ and torch-*.dist-info/

torch's libraries look for them in ROOT/nvidia (their RPATH). The versions are the ones that torch's
own metadata pins. ROOT/nvidia appears by one rename, so it is either whole or not there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from install_wheels import SetupError

LIBRARY_PACKAGE = re.compile(r"(?:nvidia-[\w.-]+|cuda-toolkit)(?:\[[\w,.\s-]*\])?\s*==")


def nvidia_requirements(metadata: str) -> list[str]:
    """The pinned NVIDIA library packages among a wheel's requirements, without their markers.

    cuda-bindings and triton serve Python only, and what belongs to an extra is not asked for.
    """
    found = []
    for line in metadata.partition("\n\n")[0].splitlines():  # the description follows a blank line
        field, _, value = line.partition(":")
        requirement, _, marker = (part.strip() for part in value.partition(";"))
        if field == "Requires-Dist" and LIBRARY_PACKAGE.match(requirement) and "extra" not in marker:
            found.append(requirement)
    return found


def read_requirements(root: Path) -> list[str]:
    files = list(root.glob("torch-*.dist-info/METADATA"))
    if len(files) != 1:
        raise SetupError(f"{root} should hold one torch-*.dist-info/METADATA, but holds {len(files)}")
    requirements = nvidia_requirements(files[0].read_text(encoding="utf-8"))
    if not requirements:
        raise SetupError(f"{files[0]} pins no NVIDIA library; is this a CPU-only torch?")
    return requirements


def pip_command(requirements: list[str], target: Path) -> list[str]:
    return [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--only-binary=:all:",
            "--target", str(target), *requirements]


def install(root: Path) -> None:
    requirements = read_requirements(root)
    partial = root / "nvidia.partial"
    shutil.rmtree(partial, ignore_errors=True)
    print("highwater: an NVIDIA driver is here; installing " + " ".join(requirements), file=sys.stderr)
    partial.mkdir()
    scratch = {**os.environ, "TMPDIR": str(partial)}  # the system's may be small
    done = subprocess.run(pip_command(requirements, partial), stdout=sys.stderr, env=scratch)
    if done.returncode != 0 or not (partial / "nvidia").is_dir():
        raise SetupError(f"pip could not install the NVIDIA libraries in {root} (see above); "
                         "check the network and the space on the disk (about 5 GB), then run again")
    (partial / "nvidia").rename(root / "nvidia")
    shutil.rmtree(partial)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Install the NVIDIA libraries that torch's metadata pins.")
    parser.add_argument("root", type=Path, help="the folder that holds torch/ and its dist-info")
    options = parser.parse_args(arguments)
    try:
        install(options.root)
    except (SetupError, OSError) as error:
        print(f"highwater: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
