#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// A GPU in one line of a table.
struct DeviceSummary {
  std::string name;                ///< as the driver prints it
  std::string compute_capability;  ///< e.g. "9.0"
  Bytes total_memory_bytes = 0;
  int multiprocessor_count = 0;

  bool operator==(const DeviceSummary&) const = default;
};

/// What a process on a CUDA device, real or simulated, learnt about it.
struct DeviceProbe {
  std::vector<DeviceSummary> devices;  ///< all that the process sees
  nlohmann::json profile;              ///< of the first: a device profile of the simulated GPU
  /// Of the first: the device properties from which cuDNN plans without one
  /// (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, all members that cuDNN 9.19 demands).
  nlohmann::json cudnn_device;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceSummary, name, compute_capability, total_memory_bytes,
                                   multiprocessor_count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceProbe, devices, profile, cudnn_device)

}  // namespace highwater
