# shellcheck shell=bash
# Where things are on this machine. Source it; it sets, and exports all but the first two,
#
#   HIGHWATER_REPO, HIGHWATER_CACHE_DIR    always
#   HIGHWATER_TORCH_DIR                    folder with lib/libtorch_cpu.so and include/
#   HIGHWATER_CUDA_INCLUDE_DIR             folder with cuda.h and cuda_runtime_api.h
#   HIGHWATER_PYTHON                       a Python that has matplotlib
#   HIGHWATER_CUDNN_DIR                    folder with libcudnn.so.9, where scripts/install_cudnn.sh has run
#
# The Torch, CUDA and Python ones come from the file that scripts/setup.sh writes; before the first set-up they stay
# unset. It also defines say, die and binaries_folder, and sets HIGHWATER_CMAKE_ARGS to the paths as CMake definitions.

HIGHWATER_REPO="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
HIGHWATER_CACHE_DIR="$(realpath -m -- "${HIGHWATER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/highwater}")"

say() { printf 'highwater: %s\n' "$*" >&2; }

# die CODE MESSAGE...
die() {
  local code=$1
  shift
  say "error: $*"
  exit "$code"
}

# Checkouts with other pins, or the same one with another HIGHWATER_TORCH, may share a cache; each
# gets its own paths file, so that none reads the paths of another.
paths_file() {
  local key
  key="$({
    cat "$HIGHWATER_REPO/cmake/versions.env"
    printf '%s\n' "${HIGHWATER_TORCH:-}" "${CUDA_HOME:-}" "${HIGHWATER_CUDA_TOOLKITS-unset}"
  } | sha256sum)"
  printf '%s/paths-%s.env\n' "$HIGHWATER_CACHE_DIR" "${key:0:12}"
}

load_paths() {
  local file
  file="$(paths_file)"
  [[ -r $file ]] || return 0
  # shellcheck source=/dev/null
  source "$file"
  export HIGHWATER_TORCH_DIR HIGHWATER_CUDA_INCLUDE_DIR HIGHWATER_PYTHON
  # shellcheck disable=SC2034  # read by the scripts that source this file
  HIGHWATER_CMAKE_ARGS=(
    "-DHIGHWATER_TORCH_DIR=$HIGHWATER_TORCH_DIR"
    "-DHIGHWATER_CUDA_INCLUDE_DIR=$HIGHWATER_CUDA_INCLUDE_DIR"
    "-DHIGHWATER_PYTHON=$HIGHWATER_PYTHON"
  )
}

# Where scripts/install_cudnn.sh puts libcudnn.so.9.
cudnn_dir() (
  # shellcheck source=cmake/versions.env
  source "$HIGHWATER_REPO/cmake/versions.env"
  printf '%s/cudnn-%s-%s/nvidia/cudnn/lib\n' "$HIGHWATER_CACHE_DIR" "$CUDNN_VERSION" "${CUDNN_SHA256:0:6}${NVRTC_SHA256:0:6}"
)

# A folder that the caller names stays.
find_cudnn() {
  [[ -n ${HIGHWATER_CUDNN_DIR:-} ]] && return
  [[ -e $(cudnn_dir)/libcudnn.so.9 ]] || return 0
  HIGHWATER_CUDNN_DIR="$(cudnn_dir)"
  export HIGHWATER_CUDNN_DIR
}

# Where the preset in use (HIGHWATER_PRESET, default: dev) puts its programs, relative to the repository.
binaries_folder() {
  local preset="${HIGHWATER_PRESET:-dev}"
  [[ $preset == dev ]] && echo build/bin || echo "build-$preset/bin"
}

load_paths
find_cudnn
