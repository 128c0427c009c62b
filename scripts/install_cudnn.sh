#!/usr/bin/env bash
# Brings NVIDIA's cuDNN and NVRTC into the cache (about 450 MB to download, once) and prints the folder
# to set SIMGPU_CUDNN_DIR to. Convolutions on the simulated GPU need them; nothing else does.
#
#   export SIMGPU_CUDNN_DIR="$(scripts/install_cudnn.sh)"
#   scripts/install_cudnn.sh 12      the same for a torch that was built for CUDA 12 (docs/fidelity.md needs it)
#
# Exit codes: 0 ready, 1 a download, a hash or the disk failed, 2 wrong usage.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=cmake/versions.env
source "$HIGHWATER_REPO/cmake/versions.env"
case "$*" in
  "" | "$CUDA_MAJOR")
    folder="$(cudnn_dir)"
    nvrtc_libraries="nvidia/cu$CUDA_MAJOR/lib/"
    pins=("nvidia-cudnn-cu$CUDA_MAJOR==$CUDNN_VERSION=$CUDNN_SHA256" "nvidia-cuda-nvrtc==$NVRTC_VERSION=$NVRTC_SHA256")
    ;;
  12)
    folder="$HIGHWATER_CACHE_DIR/cudnn-cu12-$CUDNN_VERSION-${CUDNN12_SHA256:0:6}${NVRTC12_SHA256:0:6}/nvidia/cudnn/lib"
    nvrtc_libraries="nvidia/cuda_nvrtc/lib/"
    pins=("nvidia-cudnn-cu12==$CUDNN_VERSION=$CUDNN12_SHA256" "nvidia-cuda-nvrtc-cu12==$NVRTC12_VERSION=$NVRTC12_SHA256")
    ;;
  *) die 2 "install_cudnn.sh takes the major version of CUDA, 12 or $CUDA_MAJOR, or nothing, but got: $*" ;;
esac

if [[ ! -e $folder/libcudnn.so.9 ]]; then
  mkdir -p -- "$HIGHWATER_CACHE_DIR"
  exec 8>"$HIGHWATER_CACHE_DIR/cudnn.lock"
  flock 8
  [[ -e $folder/libcudnn.so.9 ]] || python3 "$HIGHWATER_REPO/scripts/install_wheels.py" --into "${folder%/nvidia/cudnn/lib}" \
    --keep nvidia/cudnn/lib/ --keep "$nvrtc_libraries" --keep nvidia_cud "${pins[@]}" 8>&-
fi
printf '%s\n' "$folder"
