#pragma once

#include "simgpu/nvml/types.hpp"

namespace simgpu::nvml {

/// Handle of an ordinal. `not_found` and nothing written if there is no such device.
Result handle_of(int ordinal, Device* device);

/// The ordinal behind a handle of `handle_of`.
int ordinal_of(Device device);

/// Copies a text as NVML does: `insufficient_size` if it does not fit with its end.
Result copy_text(const char* text, char* target, unsigned length);

}  // namespace simgpu::nvml
