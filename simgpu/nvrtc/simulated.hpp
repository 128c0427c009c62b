#pragma once

#include <string_view>

namespace simgpu::nvrtc {

/// The address of the simulated function `name`, null where there is none.
void* simulated_function(std::string_view name);

}  // namespace simgpu::nvrtc
