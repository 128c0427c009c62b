#pragma once

#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// The ATen operators that the calling thread is in.
///
/// Where a probe runs (probe.hpp), it tells of each operator that begins and ends. Elsewhere the
/// call stack tells of the innermost one: Torch exports at::_ops::<name>::call and the like from
/// its libraries, for C++ and Python programs alike.

/// `name` must live until the operator is left.
SIMGPU_SHARED void enter_operator(const char* name);
SIMGPU_SHARED void leave_operator();

/// As in "aten::nonzero"; "" outside any. Costs some microseconds a frame without a probe: for rare
/// events.
SIMGPU_SHARED std::string innermost_operator();

/// The host reads device memory that it does not know: so do all operators it is in.
void mark_operators_as_reading();

/// The innermost operator that has read before; null if there is none. It can only be told with a
/// probe: the call stack does not tell one call of an operator from the next.
const char* operator_that_has_read();

/// The operator whose entry point carries this mangled symbol, "" for any other symbol.
SIMGPU_SHARED std::string operator_of_symbol(const char* symbol);

}  // namespace simgpu
