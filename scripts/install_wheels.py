#!/usr/bin/env python3
"""Unpack pinned wheels into one folder, all or nothing.

    install_wheels.py --into DIR --keep PREFIX... NAME==VERSION=SHA256...

Every wheel is downloaded by pip without its dependencies, held against its hash, and unpacked into
DIR.partial; only when all of them are there is that folder renamed to DIR. So DIR either holds
everything or does not exist. Members whose path starts with none of the prefixes stay packed. Run it
under a lock: two runs for one DIR would share the partial folder.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path


class SetupError(Exception):
    """Something the user can act on; its text is the whole message."""


def cache_folder() -> Path:
    """Where everything is unpacked; the same as scripts/environment.sh takes."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("HIGHWATER_CACHE") or Path(base, "highwater")).resolve()


@dataclass(frozen=True)
class Pin:
    requirement: str  # name==version
    sha256: str


@dataclass(frozen=True)
class Target:
    """Which wheel pip is to choose, where that is not the running Python's own."""

    python_version: str | None = None
    abi: str | None = None
    platform: str | None = None

    def pip_arguments(self) -> list[str]:
        options = [("--python-version", self.python_version), ("--abi", self.abi), ("--platform", self.platform)]
        chosen = [word for flag, value in options if value for word in (flag, value)]
        return chosen + (["--implementation", "cp"] if chosen else [])


def parse_pin(text: str) -> Pin:
    requirement, _, sha256 = text.rpartition("=")
    if "==" not in requirement or len(sha256) != 64:
        raise SetupError(f"'{text}' is not NAME==VERSION=SHA256")
    return Pin(requirement, sha256)


def download(pin: Pin, target: Target, folder: Path) -> Path:
    """Let pip fetch one wheel. Its scratch space is there too: the system's may be small."""
    folder.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir",
               "--only-binary=:all:", *target.pip_arguments(), "--dest", str(folder), pin.requirement]
    done = subprocess.run(command, stdout=sys.stderr, env={**os.environ, "TMPDIR": str(folder)})
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise SetupError(f"pip could not download {pin.requirement} (see above); "
                         "check the network and the space on the disk, then run again")
    return wheels[0]


def verify(wheel: Path, pin: Pin) -> None:
    with wheel.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != pin.sha256:
        raise SetupError(f"{wheel.name} has the sha256 {found}, but cmake/versions.env pins {pin.sha256}; "
                         "nothing was unpacked. Run again, and if it stays so, do not trust the source it came from")


def unpack(wheel: Path, into: Path, keep: tuple[str, ...]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.startswith(keep)]
        if not members:
            raise SetupError(f"{wheel.name} holds nothing under {', '.join(keep)}; its layout has changed")
        archive.extractall(into, members)


def unpack_all(pins: list[Pin], target: Target, keep: tuple[str, ...], partial: Path) -> Path:
    content, scratch = partial / "content", partial / "download"
    content.mkdir(parents=True)
    for pin in pins:
        print(f"highwater: downloading {pin.requirement}", file=sys.stderr)
        wheel = download(pin, target, scratch)
        verify(wheel, pin)
        print(f"highwater: unpacking {wheel.name}", file=sys.stderr)
        unpack(wheel, content, keep)
        shutil.rmtree(scratch)
    return content


def install(pins: list[Pin], target: Target, into: Path, keep: tuple[str, ...]) -> None:
    partial = into.with_name(into.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
    try:
        content = unpack_all(pins, target, keep, partial)
        shutil.rmtree(into, ignore_errors=True)  # what is there is damaged, else nobody would have called
        content.rename(into)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Unpack pinned wheels into one folder, all or nothing.")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR")
    parser.add_argument("--keep", action="append", required=True, metavar="PREFIX")
    parser.add_argument("--python-version")
    parser.add_argument("--abi")
    parser.add_argument("--platform")
    parser.add_argument("pins", nargs="+", metavar="NAME==VERSION=SHA256")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    try:
        target = Target(options.python_version, options.abi, options.platform)
        install([parse_pin(text) for text in options.pins], target, options.into, tuple(options.keep))
    except SetupError as error:
        print(f"highwater: error: {error}", file=sys.stderr)
        return 1
    except (OSError, zipfile.BadZipFile) as error:
        print(f"highwater: error: could not fill {options.into}: {error}. "
              "Free some space or set HIGHWATER_CACHE to another folder, then run again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
