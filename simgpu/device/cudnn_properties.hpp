#pragma once

#include <string>

#include "simgpu/device/profile.hpp"

namespace simgpu {

/// `profile` as the JSON text that cuDNN takes for a device that is not there
/// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION), one line. Planning without a device is supported
/// since cuDNN 9.8:
/// https://docs.nvidia.com/deeplearning/cudnn/frontend/latest/utilities/deviceless-ahead-of-time-compilation.html
/// cuDNN 9.19 refuses a text in which one of these 23 members is missing.
SIMGPU_SHARED std::string cudnn_device_properties(const Profile& profile);

}  // namespace simgpu
