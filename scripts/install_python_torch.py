#!/usr/bin/env python3
"""Make a Python with one pinned torch in the cache, once, and print the path of its interpreter.

    install_python_torch.py VERSION

The versions there are, with their hashes, are the files of cmake/python-torch/. NVIDIA's wheels stay out:
under the simulated GPU their libraries are stood in for. Progress goes to stderr. Exit codes: 0 ready,
1 something failed, 2 an unknown version.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from install_wheels import cache_folder

PINS = Path(__file__).resolve().parent.parent / "cmake" / "python-torch"
COMMON = "common"


class InstallError(Exception):
    """Something the user can act on; its text is the whole message."""


def versions() -> list[str]:
    return sorted(path.stem for path in PINS.glob("*.txt") if path.stem != COMMON)


def folder_for(version: str) -> Path:
    """Other pins or another Python get a folder of their own."""
    whole = hashlib.sha256(os.path.realpath(sys.executable).encode())
    for name in (COMMON, version):
        whole.update((PINS / f"{name}.txt").read_bytes())
    return cache_folder() / f"python-torch-{version}-{whole.hexdigest()[:12]}"


def run(*command: object, scratch: Path) -> None:
    words = [str(word) for word in command]
    # pip's own scratch space goes beside the rest: the system's may be small.
    done = subprocess.run(words, stdout=sys.stderr, env={**os.environ, "TMPDIR": str(scratch)})
    if done.returncode != 0:
        raise InstallError(f"'{' '.join(words)}' failed (see above); check the network and the space on the disk "
                           "(3 GB while unpacking), then run again")


def install(version: str, folder: Path) -> None:
    """A virtual environment cannot be moved after it is made, so it is made in place; the stamp comes last."""
    print(f"highwater: installing torch {version} in {folder}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    run(sys.executable, "-m", "venv", folder, scratch=scratch)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir", "--require-hashes",
        "--disable-pip-version-check", "--only-binary=:all:", "-r", PINS / f"{version}.txt", scratch=scratch)
    shutil.rmtree(scratch)
    (folder / "complete").touch()


def prepare(version: str) -> Path:
    if version not in versions():
        raise InstallError(f"torch {version} is not pinned here; there are {', '.join(versions())}, "
                           "and cmake/python-torch/ takes another file")
    folder = folder_for(version)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two that start together share one installation
        if not (folder / "complete").exists():
            install(version, folder)
    return folder / "bin" / "python"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Make a Python with one pinned torch and print its interpreter.")
    parser.add_argument("version", metavar="VERSION")
    options = parser.parse_args(arguments)
    try:
        print(prepare(options.version))
    except InstallError as error:
        print(f"highwater: error: {error}", file=sys.stderr)
        return 2 if options.version not in versions() else 1
    except OSError as error:
        print(f"highwater: error: {error}; set HIGHWATER_CACHE to a folder with space, then run again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
