#pragma once

#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Path of the NVRTC that belongs to the cuDNN in SIMGPU_CUDNN_DIR: in the same folder, or where
/// NVIDIA's wheels put it beside (nvidia/cu13/lib, nvidia/cuda_nvrtc/lib). Empty when the variable
/// is not set; ends the process with code 2 when it is and none is there.
SIMGPU_SHARED std::string nvrtc_beside_cudnn();

}  // namespace simgpu
