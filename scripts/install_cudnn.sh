#!/usr/bin/env bash
# Brings NVIDIA's cuDNN and NVRTC into the cache (about 450 MB to download, once) and prints the folder
# to set SIMGPU_CUDNN_DIR to. Convolutions on the simulated GPU need them; nothing else does.
#
#   export SIMGPU_CUDNN_DIR="$(scripts/install_cudnn.sh)"
#
# Exit codes: 0 ready, 1 a download, a hash or the disk failed, 2 wrong usage.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=cmake/versions.env
source "$HIGHWATER_REPO/cmake/versions.env"
[[ $# -eq 0 ]] || die 2 "install_cudnn.sh takes no arguments, but got: $*"

folder="$(cudnn_dir)"
if [[ ! -e $folder/libcudnn.so.9 ]]; then
  mkdir -p -- "$HIGHWATER_CACHE_DIR"
  exec 8>"$HIGHWATER_CACHE_DIR/cudnn.lock"
  flock 8
  [[ -e $folder/libcudnn.so.9 ]] || python3 "$HIGHWATER_REPO/scripts/install_wheels.py" --into "${folder%/nvidia/cudnn/lib}" \
    --keep nvidia/cudnn/lib/ --keep "nvidia/cu$CUDA_MAJOR/lib/" --keep nvidia_cud \
    "nvidia-cudnn-cu$CUDA_MAJOR==$CUDNN_VERSION=$CUDNN_SHA256" "nvidia-cuda-nvrtc==$NVRTC_VERSION=$NVRTC_SHA256" 8>&-
fi
printf '%s\n' "$folder"
