#pragma once

#include <string>

#include "harness/core/device_probe.hpp"

namespace highwater {

/// Asks the CUDA device `name` ("cuda" or "sim:<profile>") what a device profile tells. Must be the
/// first use of the device in this process: the context's size is total minus free memory right
/// after it was made, so memory of other processes on the card would count in.
/// @throws UsageError where there is no such device, or it is the CPU.
DeviceProbe probe_device(const std::string& name);

}  // namespace highwater
