#!/usr/bin/env bash
# Brings everything the build needs onto this machine: Debian packages, LibTorch, CUDA headers and a
# Python with matplotlib. Quick when nothing is to do. Needs neither nvcc nor a GPU.
#
#   HIGHWATER_CACHE          where downloads are unpacked (default: highwater/ in the user's cache folder)
#   HIGHWATER_SKIP_BROWSER   1: leave out the browser (100 MB); the tests of pages are then skipped where there is none
#   HIGHWATER_SKIP_CUDNN     1: leave out NVIDIA's cuDNN (450 MB); cells with convolutions are then skipped on sim
#   HIGHWATER_CUDNN_DIR      an existing folder with libcudnn.so.9 to use instead of downloading one
#   HIGHWATER_TORCH          an existing torch folder to use instead of downloading one
#   HIGHWATER_CUDA_TOOLKITS  colon-separated folders to look for a CUDA toolkit in, instead of the usual
#                            ones; empty means: take the headers from the pinned wheels
#
# Exit codes: 0 ready, 1 something failed (download, hash, disk), 2 something the caller must settle.
# Nothing is written outside the cache but Debian packages, and progress goes to stderr.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=cmake/versions.env
source "$HIGHWATER_REPO/cmake/versions.env"

python="$HIGHWATER_CACHE_DIR/python-matplotlib-$(sha256sum <<<"$PYTHON_PACKAGES" | cut -c -12)/bin/python"

# --- Debian packages ---------------------------------------------------------------------------

missing_packages() {
  local installed package
  # dpkg-query exits 1 when it does not know one of the names; what it prints is still right.
  # shellcheck disable=SC2086  # a list of words
  installed="$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $DEBIAN_PACKAGES 2>/dev/null || true)"
  for package in $DEBIAN_PACKAGES; do
    grep -qxF "installed $package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Prints the words that make a command run as root, or fails where this user may not.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    printf 'env'
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    printf 'sudo -n env'
  else
    return 1
  fi
}

install_packages() {
  local missing apt
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system, so nothing is installed here; the build needs the equivalents of: $DEBIAN_PACKAGES"
    return
  fi
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if ! apt="$(as_root)"; then
    say "these Debian packages are missing, and this user may not install them:"
    printf '  %s\n' "${missing[@]}" >&2
    die 2 "install them, then run this script again: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  say "installing Debian packages: ${missing[*]}"
  apt="$apt DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
  # The lock (9) stays here: apt may start services, and they would hold it for ever.
  # shellcheck disable=SC2086  # a list of words
  $apt update >&2 9>&- </dev/null \
    || die 1 "apt-get update failed (see above); check this machine's package sources and network, then run again"
  # shellcheck disable=SC2086
  $apt install -y --no-install-recommends "${missing[@]}" >&2 9>&- </dev/null \
    || die 1 "apt-get could not install: ${missing[*]} (see above)"
}

# Tests of pages are skipped where there is no browser, so nothing here is an error.
has_browser() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && return
  done
  [[ -n ${HIGHWATER_BROWSER:-} ]]
}

install_browser() {
  local apt
  [[ ${HIGHWATER_SKIP_BROWSER:-0} != 1 ]] && ! has_browser || return 0
  apt="$(as_root)" || return 0
  apt-cache policy "$BROWSER_PACKAGE" 2>/dev/null | grep -q 'Candidate: [0-9]' || return 0
  say "installing $BROWSER_PACKAGE, for the tests of pages"
  $apt DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends "$BROWSER_PACKAGE" >&2 9>&- </dev/null \
    || say "apt-get could not install $BROWSER_PACKAGE (see above); the tests of pages will be skipped"
}

# True when version $1 is at least $2.
at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

check_cmake() {
  local version
  command -v cmake >/dev/null || die 2 "cmake is not on PATH; install CMake $CMAKE_MINIMUM_VERSION or later"
  version="$(cmake --version)"
  version="${version#cmake version }"
  version="${version%%$'\n'*}"
  at_least "$version" "$CMAKE_MINIMUM_VERSION" \
    || die 2 "$(command -v cmake) is CMake $version; $CMAKE_MINIMUM_VERSION or later is needed (Debian 12 and Ubuntu 24.04 bring one)"
}

# --- Python with matplotlib --------------------------------------------------------------------

# A virtual environment cannot be moved after it is made, so this one is made in place; the stamp
# comes last, and a folder without it is made anew. The stamp names the interpreter: after an upgrade
# of the system's Python the packages installed for the old one are no longer found.
install_python() {
  local folder="${python%/bin/python}"
  [[ -x $python && $(cat "$folder/made-for" 2>/dev/null) == "$(realpath "$python")" ]] && return
  say "installing $PYTHON_PACKAGES in $folder"
  rm -rf "$folder"
  python3 -m venv "$folder" >&2 \
    || die 1 "python3 could not make a virtual environment in $folder; is python3-venv installed, and is there space on the disk?"
  # shellcheck disable=SC2086  # a list of words
  "$python" -m pip install --quiet --only-binary=:all: $PYTHON_PACKAGES >&2 \
    || die 1 "pip could not install $PYTHON_PACKAGES in $folder (see above); check the network, then run again"
  realpath "$python" >"$folder/made-for"
}

# --- LibTorch ----------------------------------------------------------------------------------

# An existing torch that the user points at: say at once what a linker would say late.
check_torch_folder() {
  local folder=$1 name version
  for name in version.py include lib/libc10.so lib/libtorch_cpu.so lib/libc10_cuda.so lib/libtorch_cuda.so; do
    [[ -e $folder/$name ]] || die 2 "HIGHWATER_TORCH=$folder has no $name; point it at the torch folder of a CUDA build of torch $TORCH_VERSION, or unset it to download one"
  done
  version="$(sed -n "s/^__version__ = '\(.*\)'.*/\1/p" "$folder/version.py")"
  [[ ${version%%+*} == "$TORCH_VERSION" ]] || die 2 "HIGHWATER_TORCH=$folder is torch '${version:-of unknown version}', but Highwater is pinned to $TORCH_VERSION; point it at that version, or unset it to download one"
}

install_torch() {
  if [[ -n ${HIGHWATER_TORCH:-} ]]; then
    torch="$(realpath -m -- "$HIGHWATER_TORCH")"
    check_torch_folder "$torch"
    return
  fi
  local root="$HIGHWATER_CACHE_DIR/torch-$TORCH_VERSION-${TORCH_WHEEL_SHA256:0:12}"
  torch="$root/torch"
  [[ -e $torch/lib/libtorch_cuda.so ]] && return
  # Only what C++ needs: the Python half of the wheel stays out.
  "$python" "$HIGHWATER_REPO/scripts/install_wheels.py" --into "$root" \
    --python-version "$TORCH_WHEEL_PYTHON" --abi "$TORCH_WHEEL_ABI" --platform "$TORCH_WHEEL_PLATFORM" \
    --keep torch/lib/ --keep torch/include/ --keep torch/share/ --keep torch/version.py \
    --keep "torch-$TORCH_VERSION.dist-info/" \
    "torch==$TORCH_VERSION=$TORCH_WHEEL_SHA256"
}

# --- CUDA headers ------------------------------------------------------------------------------

toolkit_folders() {
  if [[ -n ${HIGHWATER_CUDA_TOOLKITS+set} ]]; then
    tr ':' '\n' <<<"$HIGHWATER_CUDA_TOOLKITS"
  else
    printf '%s\n' "${CUDA_HOME:-}" /usr/local/cuda "/usr/local/cuda-$CUDA_MAJOR".* "/usr/local/cuda-$CUDA_MAJOR"
  fi
}

# Prints the include folder of the first toolkit of the pinned major version; fails when there is none.
find_toolkit_headers() {
  local folder
  while read -r folder; do
    [[ -n $folder && -r $folder/include/cuda_runtime_api.h && -r $folder/include/crt/host_defines.h ]] || continue
    if grep -qE "^#define CUDA_VERSION ${CUDA_MAJOR}[0-9]{3}\b" "$folder/include/cuda.h" 2>/dev/null; then
      realpath -- "$folder/include"
      return
    fi
  done < <(toolkit_folders)
  return 1
}

install_cuda_headers() {
  cuda_include="$(find_toolkit_headers)" && return
  local root="$HIGHWATER_CACHE_DIR/cuda-headers-$CUDA_RUNTIME_VERSION-${CUDA_RUNTIME_SHA256:0:6}${CUDA_CRT_SHA256:0:6}"
  cuda_include="$root/nvidia/cu$CUDA_MAJOR/include"
  [[ -e $cuda_include/cuda_runtime_api.h ]] && return
  "$python" "$HIGHWATER_REPO/scripts/install_wheels.py" --into "$root" \
    --keep "nvidia/cu$CUDA_MAJOR/include/" --keep "nvidia_cuda_" \
    "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION=$CUDA_RUNTIME_SHA256" \
    "nvidia-cuda-crt==$CUDA_CRT_VERSION=$CUDA_CRT_SHA256"
}

# --- NVIDIA libraries, only where there is a driver to use them --------------------------------

has_nvidia_driver() {
  [[ -e /proc/driver/nvidia/version ]] && return
  command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1
}

install_nvidia_libraries() {
  [[ -z ${HIGHWATER_TORCH:-} ]] || return 0 # that folder is the user's: its libraries are too
  [[ -d ${torch%/torch}/nvidia ]] && return
  has_nvidia_driver || return 0
  "$python" "$HIGHWATER_REPO/scripts/install_nvidia_wheels.py" "${torch%/torch}"
}

# --- cuDNN, for convolutions on the simulated GPU ----------------------------------------------

install_cudnn() {
  [[ ${HIGHWATER_SKIP_CUDNN:-0} != 1 && -z ${HIGHWATER_CUDNN_DIR:-} ]] || return 0
  "$HIGHWATER_REPO/scripts/install_cudnn.sh" >/dev/null 9>&-
}

# -----------------------------------------------------------------------------------------------

write_paths() {
  local file
  file="$(paths_file)"
  {
    printf 'HIGHWATER_TORCH_DIR=%q\n' "$torch"
    printf 'HIGHWATER_CUDA_INCLUDE_DIR=%q\n' "$cuda_include"
    printf 'HIGHWATER_PYTHON=%q\n' "$python"
  } >"$file.partial"
  mv -f -- "$file.partial" "$file"
}

lock_cache() {
  mkdir -p -- "$HIGHWATER_CACHE_DIR" 2>/dev/null || true
  [[ -w $HIGHWATER_CACHE_DIR ]] \
    || die 2 "the cache folder $HIGHWATER_CACHE_DIR cannot be written; set HIGHWATER_CACHE to a folder that can"
  exec 9>"$HIGHWATER_CACHE_DIR/setup.lock"
  flock -n 9 && return
  say "waiting for another set-up in $HIGHWATER_CACHE_DIR to finish"
  flock 9
}

main() {
  [[ $# -eq 0 ]] || die 2 "setup.sh takes no arguments, but got: $*"
  [[ $(uname -m) == x86_64 ]] || die 2 "Highwater's LibTorch is built for x86-64, and this machine is $(uname -m)"
  lock_cache
  install_packages
  check_cmake
  install_browser
  install_python
  install_torch
  install_cuda_headers
  install_nvidia_libraries
  install_cudnn
  write_paths
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
