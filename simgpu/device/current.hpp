#pragma once

#include "simgpu/device/export.hpp"

namespace simgpu {

/// The calling thread's current device, 0 at first.
SIMGPU_SHARED int current_device();

/// Makes `device` current and marks it used. False, and nothing changed, if there is no such
/// device.
SIMGPU_SHARED bool set_current_device(int device);

SIMGPU_SHARED bool is_device(int device);

/// Whether some thread has made the device current or allocated on it: its primary context exists.
SIMGPU_SHARED bool is_device_used(int device);
SIMGPU_SHARED void mark_device_used(int device);

}  // namespace simgpu
