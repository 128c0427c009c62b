#!/usr/bin/env python3
"""Writes what the stand-in libraries need and Torch decides.

Reads the symbols Torch's libraries import from NVIDIA's (`nm`), the names the sources under simgpu/
implement (SIMGPU_EXPORT, see device/export.hpp), and writes into the output folder:

  <soname>.c               one function per imported, unimplemented name; it stops the program, or
                           goes on in NVIDIA's own library (FORWARDED)
  <soname>.map             version script: exactly the names of this library, under its version
  standins.cmake           the list of libraries and the folder of sources behind each
  sonames.txt              file names in the order a launcher must open them
  torch_build.hpp          the GPU architectures, the CUDA and the NCCL that Torch is compiled for

The same input gives the same bytes; files whose content stays are not touched.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

# Torch's libraries; those marked False are missing from some distributions of it.
TORCH_LIBRARIES = {
    "libc10_cuda.so": True,
    "libtorch_cpu.so": True,
    "libtorch_cuda.so": True,
    "libtorch_cuda_linalg.so": False,
    "libtorch_nvshmem.so": False,
    "libcaffe2_nvrtc.so": False,
    "libtorch_global_deps.so": False,
    "libtorch_python.so": False,
}

NVIDIA_SONAME = re.compile(r"lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|cufile|cupti|curand"
                           r"|cusolver|cusparse|cusparseLt|nccl|nvrtc|nvshmem_host)\.so\.\d+")

# Folder of sources behind a library (by soname without version). The others are generated whole.
SOURCE_FOLDERS = {
    "libcuda": "driver",
    "libcudart": "cudart",
    "libcublasLt": "cublaslt",
    "libcublas": "cublas",
    "libcudnn": "cudnn",
    "libcupti": "cupti",
    "libnccl": "nccl",
    "libnvidia-ml": "nvml",
    "libnvrtc": "nvrtc",
}

# Libraries that nothing links: Torch and others open them by this name.
LOOKED_UP_SONAMES = ["libnvidia-ml.so.1"]
# Torch's table of functions it looks up by name at run time, an inner error of Torch's where one is
# missing: the names lie as texts in this library.
LOOKING_UP_LIBRARY = "libc10_cuda.so"
LOOKED_UP_NAMES = {
    "libcuda": re.compile(rb"(?<=\0)cu[A-Z][A-Za-z0-9]+(?:_v\d+)?(?=\0)"),
    "libnvidia-ml": re.compile(rb"(?<=\0)nvml[A-Z][A-Za-z0-9]+(?:_v\d+)?(?=\0)"),
}

# Functions that NVIDIA's cuDNN looks up by name. Where one is missing it leaves engines out without a
# word and plans otherwise, so each must be there, even if only to stop the program. All are documented
# but one of NVRTC's, which passes from NVIDIA's library to NVIDIA's.
LOOKED_UP_BY_CUDNN = {
    "libcuda": """
        cuCtxGetLimit cuCtxPopCurrent cuCtxPushCurrent cuKernelGetAttribute cuKernelSetAttribute
        cuLaunchKernelEx cuLibraryGetKernel cuLibraryLoadData cuLibraryLoadFromFile
        cuLibraryUnload cuLinkAddData cuLinkCreate cuLinkDestroy
        cuOccupancyMaxPotentialClusterSize cuStreamGetCtx""".split(),
    "libnvrtc": ["__nvrtcCPEx"],
    "libcublasLt": """
        cublasLtDisableCpuInstructionsSetMask cublasLtGetProperty cublasLtGetStatusName
        cublasLtGetStatusString cublasLtHeuristicsCacheGetCapacity
        cublasLtHeuristicsCacheSetCapacity cublasLtLoggerForceDisable cublasLtLoggerOpenFile
        cublasLtLoggerSetCallback cublasLtLoggerSetFile cublasLtLoggerSetLevel
        cublasLtLoggerSetMask cublasLtMatmulAlgoCapGetAttribute cublasLtMatmulAlgoCheck
        cublasLtMatmulAlgoConfigGetAttribute cublasLtMatmulAlgoConfigSetAttribute
        cublasLtMatmulAlgoGetIds cublasLtMatmulAlgoInit cublasLtMatmulDescGetAttribute
        cublasLtMatmulDescInit_internal cublasLtMatmulPreferenceGetAttribute
        cublasLtMatrixLayoutGetAttribute cublasLtMatrixLayoutInit_internal
        cublasLtMatrixTransform cublasLtMatrixTransformDescCreate
        cublasLtMatrixTransformDescDestroy cublasLtMatrixTransformDescGetAttribute
        cublasLtMatrixTransformDescInit_internal cublasLtMatrixTransformDescSetAttribute""".split(),
}

# Names that no source implements and whose address is asked for at the first call, by library. NVRTC's
# all are: NVIDIA's own or the simulated ones (nvrtc/library.cpp). Of cuDNN those that make, fill or
# read a descriptor: they go on in NVIDIA's own, needing no device. A call that takes a handle must not
# be among them, for the handle is ours; those of this shape that do are refused in cudnn/refuse.cpp.
FORWARDED = {
    "libcudnn": re.compile(r"cudnn(Create|Destroy|Get|Set)\w*Descriptor\w*|cudnnSetConvolution\w+"
                           r"|cudnnBackendGetAttribute|cudnnGet(Last)?ErrorString|cudnnGetProperty"),
    "libnvrtc": re.compile(r".*"),
}

# Libraries that others of ours depend on come first; the rest follows by name.
LOAD_FIRST = ["libcuda", "libcudart"]
SHARED_STATE = "libsimgpu.so"

# Imported names without a symbol version: prefix -> library. First match wins.
UNVERSIONED_PREFIXES = [
    ("cusparseLt", "libcusparseLt"),
    ("nccl", "libnccl"),
    ("nvshmem", "libnvshmem_host"),
    ("cuFile", "libcufile"),
    ("nvrtc", "libnvrtc"),
    ("curand", "libcurand"),
]
DRIVER_NAME = re.compile(r"cu[A-Z]")

# Symbol versions that are not the soname they belong to.
VERSION_LIBRARIES = {"NVSHMEM": "libnvshmem_host"}

# What CUDA's headers turn a documented name into: the exported symbol of this major version.
RENAMES = re.compile(r"^\s*#define\s+(cu\w+)\s+(?:__CUDART_API_PT[DS][SZ]\()?(\1_v\d+)\)?\s*$",
                     re.MULTILINE)
RENAMING_HEADERS = ["cuda.h", "cuda_runtime_api.h"]

EXPORT = re.compile(r"^SIMGPU_EXPORT(?:_[A-Z]+\(\s*|\s[^();]*?\b)(\w+)\s*[(),]", re.MULTILINE)
ARCHITECTURES = re.compile(rb"sm_\d+[af]?(?: (?:sm|compute)_\d+[af]?)+")


def stop(sentence):
    sys.exit(f"generate_standins.py: {sentence}")


def run(tool, *arguments):
    try:
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        stop(f"the program '{tool}' was not found; install GNU binutils or pass its path.")
    if done.returncode != 0:
        stop(f"'{tool}' failed on {arguments[-1]}: {done.stderr.strip()}")
    return done.stdout


def stem(soname):
    return soname.split(".so")[0]


def find_torch_libraries(torch_dir):
    folder = torch_dir / "lib"
    for name, is_required in TORCH_LIBRARIES.items():
        if is_required and not (folder / name).is_file():
            stop(f"{folder / name} does not exist; the Torch folder must hold lib/ and include/ "
                 "of a CUDA build of Torch.")
    return [folder / name for name in TORCH_LIBRARIES if (folder / name).is_file()]


def needed_sonames(readelf, libraries):
    found = set()
    for library in libraries:
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", run(readelf, "-d", "-W", str(library))):
            if NVIDIA_SONAME.fullmatch(name):
                found.add(name)
    return sorted(found)


def library_of(name, version, sonames):
    """The soname that an imported name belongs to, or None if it is not NVIDIA's."""
    by_stem = {stem(soname): soname for soname in sonames}
    if version in sonames:
        return version
    if version:
        return by_stem.get(VERSION_LIBRARIES.get(version))
    for prefix, library in UNVERSIONED_PREFIXES:
        if name.startswith(prefix):
            return by_stem.get(library)
    return by_stem.get("libcuda") if DRIVER_NAME.match(name) else None


def read_imports(nm, libraries, sonames):
    """soname -> names imported from it, and soname -> the symbol version they carry (if any).

    Weak imports are left out: absence is an answer there.
    """
    names = collections.defaultdict(set)
    versions = {}
    for library in libraries:
        for line in run(nm, "-D", "--undefined-only", str(library)).splitlines():
            kind, symbol = line.split()[-2:]
            name, _, version = symbol.partition("@")
            version = version.lstrip("@")
            soname = library_of(name, version, sonames)
            if kind == "U" and soname:
                names[soname].add(name)
                if version:
                    versions[soname] = version
    return names, versions


def looked_up_names(library, soname):
    pattern = LOOKED_UP_NAMES.get(stem(soname))
    return {name.decode() for name in pattern.findall(library.read_bytes())} if pattern else set()


def read_renames(cuda_include):
    texts = [(cuda_include / header).read_text() for header in RENAMING_HEADERS]
    return dict(pair for text in texts for pair in RENAMES.findall(text))


def implemented_names(source_dir, soname, renames):
    folder = SOURCE_FOLDERS.get(stem(soname))
    if not folder:
        return set()
    texts = [path.read_text() for path in sorted((source_dir / folder).glob("*.cpp"))]
    return {renames.get(name, name) for text in texts for name in EXPORT.findall(text)}


def torch_architectures(libraries):
    """The architecture list that torch.cuda.get_arch_list() prints, kept as text in a library."""
    for library in reversed(libraries):
        lists = ARCHITECTURES.findall(library.read_bytes())
        if lists:
            found = re.findall(r"sm_(\d+)", max(lists, key=len).decode())
            return sorted({int(number) for number in found})
    stop("no list of GPU architectures ('sm_80 sm_90 ...') was found in Torch's libraries.")


def cuda_version(torch_dir, sonames):
    """1000 * major + 10 * minor of the CUDA that Torch was compiled for.

    Wheels say it in version.py. A LibTorch archive has no such file: the runtime's soname gives the
    major version, and the minor is taken as 0.
    """
    version_file = torch_dir / "version.py"
    text = version_file.read_text() if version_file.is_file() else ""
    stated = re.search(r"^cuda\b.*'(\d+)\.(\d+)", text, re.MULTILINE)
    if stated:
        return 1000 * int(stated[1]) + 10 * int(stated[2])
    runtime = next(soname for soname in sonames if stem(soname) == "libcudart")
    return 1000 * int(runtime.rpartition(".")[2])


def nccl_version(torch_dir):
    """10000 * major + 100 * minor + patch of the NCCL that Torch's wheel requires, 0 if unknown."""
    requirement = re.compile(r"^Requires-Dist: nvidia-nccl-cu\d+ ?\(?==(\d+)\.(\d+)\.(\d+)",
                             re.MULTILINE)
    for metadata in sorted(torch_dir.resolve().parent.glob("torch-*.dist-info/METADATA")):
        stated = requirement.search(metadata.read_text())
        if stated:
            return 10000 * int(stated[1]) + 100 * int(stated[2]) + int(stated[3])
    return 0


def is_forwarded(name, soname):
    return stem(soname) in FORWARDED and FORWARDED[stem(soname)].fullmatch(name)


def stub_text(soname, names):
    lines = [
        "/* Generated by generate_standins.py. */",
        '#include "simgpu/device/forward.h"',
        "extern void simgpu_stop_unimplemented(const char *name, const char *library);",
        "#define STOP(name) void name(void) "
        f'{{ simgpu_stop_unimplemented(#name, "{soname}"); }}',
        f"#define FORWARD(name) SIMGPU_FORWARD(name, simgpu_find_in_{stem(soname)})",
    ]
    lines += [f"{'FORWARD' if is_forwarded(name, soname) else 'STOP'}({name})"
              for name in sorted(names)]
    return "\n".join(lines) + "\n"


def version_script_text(version, names):
    exported = "".join(f"\n    {name};" for name in sorted(names))
    glob = f"  global:{exported}\n" if names else ""
    return f"{version} {{\n{glob}  local:\n    *;\n}};\n".lstrip()


def cmake_text(order):
    lines = ["# Generated by generate_standins.py.", "set(SIMGPU_SONAMES"]
    lines += [f"  {soname}" for soname in order] + [")"]
    for soname in order:
        folder = SOURCE_FOLDERS.get(stem(soname), "")
        lines.append(f"set(SIMGPU_FOLDER_{soname} \"{folder}\")")
    return "\n".join(lines) + "\n"


def torch_build_text(architectures, cuda, nccl):
    listed = ", ".join(str(number) for number in architectures)
    return ("// Generated by generate_standins.py: 10 * major + minor of Torch's kernel images,\n"
            "// 1000 * major + 10 * minor of its CUDA, 10000 * major + 100 * minor + patch of its NCCL\n"
            "// (0 where nothing says which).\n"
            "#pragma once\n\nnamespace simgpu {\n"
            f"inline constexpr int torch_architectures[] = {{{listed}}};\n"
            f"inline constexpr int torch_cuda_version = {cuda};\n"
            f"inline constexpr int torch_nccl_version = {nccl};\n"
            "}  // namespace simgpu\n")


def load_order(sonames):
    first = [soname for library in LOAD_FIRST for soname in sonames if stem(soname) == library]
    return first + [soname for soname in sonames if soname not in first]


def write_if_changed(path, text):
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", type=pathlib.Path, required=True, help="holds lib/ and include/")
    parser.add_argument("--cuda-include", type=pathlib.Path, required=True, help="holds cuda.h")
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="the simgpu folder")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--readelf", default="readelf")
    options = parser.parse_args()

    libraries = find_torch_libraries(options.torch)
    order = load_order(sorted(needed_sonames(options.readelf, libraries) + LOOKED_UP_SONAMES))
    imported, versions = read_imports(options.nm, libraries, order)
    renames = read_renames(options.cuda_include)
    options.output.mkdir(parents=True, exist_ok=True)
    for soname in order:
        implemented = implemented_names(options.sources, soname, renames)
        looked_up = looked_up_names(options.torch / "lib" / LOOKING_UP_LIBRARY, soname)
        looked_up.update(LOOKED_UP_BY_CUDNN.get(stem(soname), []))
        missing = imported[soname] - implemented
        missing |= {name for name in looked_up if renames.get(name, name) not in implemented}
        write_if_changed(options.output / f"{soname}.c", stub_text(soname, missing))
        write_if_changed(options.output / f"{soname}.map",
                         version_script_text(versions.get(soname, ""),
                                             missing | implemented))
    write_if_changed(options.output / "standins.cmake", cmake_text(order))
    write_if_changed(options.output / "sonames.txt", "\n".join([SHARED_STATE, *order]) + "\n")
    write_if_changed(options.output / "torch_build.hpp",
                     torch_build_text(torch_architectures(libraries),
                                      cuda_version(options.torch, order),
                                      nccl_version(options.torch)))


if __name__ == "__main__":
    main()
