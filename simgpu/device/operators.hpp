#pragma once

#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// The innermost ATen operator the calling thread is in, as in "aten::nonzero", or "" outside any.
/// Told by the call stack: Torch exports at::_ops::<name>::call and the like from its libraries, so
/// it works for C++ and Python programs alike. Costs some microseconds a frame: for rare events.
SIMGPU_SHARED std::string innermost_operator();

/// The operator whose entry point carries this mangled symbol, "" for any other symbol.
SIMGPU_SHARED std::string operator_of_symbol(const char* symbol);

}  // namespace simgpu
