#!/usr/bin/env python3
"""Build the stand-ins for one Torch, once, and print the folder that holds them.

    build_standins.py --torch DIR [--cache DIR]

DIR holds lib/ and include/ of a CUDA build of Torch. The folder's name is a hash of that Torch, of
the sources here and of the compiler, so whatever changes one of them gets stand-ins of its own; the
folder appears by one rename. Missing CUDA headers come from the wheels pinned in cmake/versions.env.
Progress goes to stderr. Exit codes: 0 ready, 1 something failed, 2 something the caller must settle.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCES.parent / "scripts"))
import install_wheels  # noqa: E402

BUILT_FROM = {".cpp", ".hpp", ".py", ".txt"}
CUDART = re.compile(r"\(NEEDED\).*\[libcudart\.so\.(\d+)")
BUILD_ID = re.compile(r"Build ID: ([0-9a-f]+)")


class Problem(Exception):
    """Something the user can act on; its text is the whole message, `code` the exit code."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


def output_of(*command: object) -> str:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError:
        raise Problem(f"the program {words[0]} was not found; it is needed to build the simulated GPU's "
                      "libraries for this torch: install it (packages g++, cmake, binutils)", 2) from None
    if done.returncode != 0:
        raise Problem(f"{' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout


def read_pins() -> dict[str, str]:
    text = (SOURCES.parent / "cmake" / "versions.env").read_text(encoding="utf-8")
    return dict(re.findall(r'^([A-Z0-9_]+)="?([^"\n]*)"?$', text, re.MULTILINE))


# --- What the stand-ins depend on ----------------------------------------------------------------


def hash_of_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def identity_of_library(path: Path) -> str:
    match = BUILD_ID.search(output_of("readelf", "--notes", "--wide", path))
    return match[1] if match else hash_of_file(path)


def identity_of_torch(torch: Path) -> str:
    """The wheel's own list of hashes, where torch was installed from one."""
    records = sorted(torch.parent.glob("torch-*.dist-info/RECORD"))
    if records:
        return hash_of_file(records[0])
    return " ".join(identity_of_library(path) for path in sorted((torch / "lib").glob("lib*.so")))


def compiler() -> str:
    return os.environ.get("CXX", "c++")


def key_of(torch: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix in BUILT_FROM:
            whole.update(f"{path.relative_to(SOURCES)} {hash_of_file(path)}\n".encode())
    whole.update(output_of(compiler(), "--version").encode())
    whole.update(identity_of_torch(torch).encode())
    return whole.hexdigest()[:16]


def cuda_major_of(torch: Path) -> int:
    library = torch / "lib" / "libc10_cuda.so"
    if not library.is_file():
        raise Problem(f"{torch} holds no lib/libc10_cuda.so, so it is no CUDA build of torch; "
                      "install one (the default wheel of PyPI for Linux is)", 2)
    match = CUDART.search(output_of("readelf", "--dynamic", "--wide", library))
    if not match:
        raise Problem(f"{library} does not load NVIDIA's libcudart, so nothing can stand in for it; "
                      "install the wheel of PyPI instead", 2)
    return int(match[1])


# --- CUDA headers ------------------------------------------------------------------------------


def is_complete(include: Path, major: int) -> bool:
    names = ("cuda_runtime_api.h", "crt/host_defines.h", "cuda.h")
    if not all((include / name).is_file() for name in names):
        return False
    text = (include / "cuda.h").read_text(encoding="utf-8", errors="replace")
    return re.search(rf"^#define CUDA_VERSION {major}\d{{3}}\b", text, re.MULTILINE) is not None


def installed_headers(torch: Path, major: int) -> Iterator[Path]:
    """Toolkits, then what the wheels beside torch bring."""
    folders = os.environ.get("HIGHWATER_CUDA_TOOLKITS")
    toolkits = ([os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *sorted(map(str, Path("/usr/local").glob(f"cuda-{major}*")))]
                if folders is None else folders.split(":"))
    yield from (Path(toolkit) / "include" for toolkit in toolkits if toolkit)
    yield torch.parent / "nvidia" / f"cu{major}" / "include"
    yield torch.parent / "nvidia" / "cuda_runtime" / "include"


def wheel_pins(major: int, pins: dict[str, str]) -> list[install_wheels.Pin]:
    """The runtime's headers and, in a wheel of its own that exists for CUDA 13 only, their crt/
    folder; of that, CUDA 12 needs host_defines.h, which is the same."""
    crt = install_wheels.Pin(f"nvidia-cuda-crt=={pins['CUDA_CRT_VERSION']}", pins["CUDA_CRT_SHA256"])
    runtimes = {
        12: ("nvidia-cuda-runtime-cu12", pins["CUDA12_RUNTIME_VERSION"], pins["CUDA12_RUNTIME_SHA256"]),
        13: ("nvidia-cuda-runtime", pins["CUDA_RUNTIME_VERSION"], pins["CUDA_RUNTIME_SHA256"]),
    }
    if major not in runtimes:
        raise Problem(f"this torch was built for CUDA {major}, but stand-ins are known for CUDA 12 and 13 only; "
                      "use a wheel for one of those", 2)
    name, version, sha256 = runtimes[major]
    return [install_wheels.Pin(f"{name}=={version}", sha256), crt]


def downloaded_headers(major: int, cache: Path) -> Path:
    pins = wheel_pins(major, read_pins())
    key = "".join(pin.sha256[:6] for pin in pins)
    root = cache / f"cuda-headers-{major}-{key}"
    include = root / "nvidia" / ("cuda_runtime" if major == 12 else f"cu{major}") / "include"
    if not is_complete(include, major):
        install_wheels.install(pins, install_wheels.Target(), root, ("nvidia/",))
        crt = root / "nvidia" / "cu13" / "include" / "crt"
        if not (include / "crt" / "host_defines.h").is_file():
            shutil.copytree(crt, include / "crt", dirs_exist_ok=True)
    return include


def cuda_headers(torch: Path, major: int, cache: Path) -> Path:
    for include in installed_headers(torch, major):
        if is_complete(include, major):
            return include
    return downloaded_headers(major, cache)


# --- Building ----------------------------------------------------------------------------------


def run_logged(command: list[str], log: Path) -> None:
    with log.open("ab") as stream:
        try:
            code = subprocess.run(command, stdout=stream, stderr=stream).returncode
        except FileNotFoundError:
            raise Problem(f"the program {command[0]} was not found; it is needed to build the simulated GPU's "
                          "libraries for this torch: install it (packages g++, cmake, nlohmann-json3-dev)", 2) from None
    if code != 0:
        raise Problem(f"the simulated GPU's libraries could not be built for this torch; {log} says why "
                      "(its last error names what is missing)")


def configure_command(torch: Path, include: Path, build: Path) -> list[str]:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    ccache = shutil.which("ccache")
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}", f"-DCMAKE_C_COMPILER_LAUNCHER={ccache}"] if ccache else []
    return ["cmake", "-S", str(SOURCES), "-B", str(build), *generator, *launcher,
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DSIMGPU_STRICT=OFF",
            f"-DCMAKE_CXX_COMPILER={compiler()}", f"-DPython3_EXECUTABLE={sys.executable}",
            f"-DHIGHWATER_TORCH_DIR={torch}", f"-DHIGHWATER_CUDA_INCLUDE_DIR={include}"]


def build_into(folder: Path, torch: Path, cache: Path) -> None:
    partial, log = folder.with_suffix(".partial"), folder.with_suffix(".log")
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
    log.unlink(missing_ok=True)
    print(f"highwater: building the simulated GPU for {torch} (once)", file=sys.stderr)
    include = cuda_headers(torch, cuda_major_of(torch), cache)
    run_logged(configure_command(torch, include, partial), log)
    run_logged(["cmake", "--build", str(partial), "--parallel", str(os.cpu_count() or 1)], log)
    (partial / "lib" / "highwater" / "simgpu").rename(folder)
    shutil.rmtree(partial)
    log.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Two first starts of one torch: the second waits and finds everything there."""
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def standins(torch: Path, cache: Path) -> Path:
    cuda_major_of(torch)
    store = cache / "simgpu"
    folder = store / key_of(torch)
    if not folder.is_dir():
        store.mkdir(parents=True, exist_ok=True)
        with locked(store / "lock"):
            if not folder.is_dir():
                build_into(folder, torch, cache)
    return folder


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Build the stand-ins for one Torch, once, and print their folder.")
    parser.add_argument("--torch", type=Path, required=True, metavar="DIR", help="holds lib/ and include/")
    parser.add_argument("--cache", type=Path, default=install_wheels.cache_folder(), metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        print(standins(options.torch.resolve(), options.cache.resolve()))
    except (Problem, install_wheels.SetupError, OSError) as error:
        print(f"highwater: {error}", file=sys.stderr)
        return getattr(error, "code", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
