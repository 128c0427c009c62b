#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Remembers the name of the kernel that the host function `handle` stands for. `name` must live as
/// long as the process (it does: it is a literal of the library that registers it).
SIMGPU_SHARED void register_kernel(const void* handle, const char* name);

/// Counts one launch. `handle` may be unregistered. Takes no lock.
SIMGPU_SHARED void count_kernel_launch(const void* handle);

SIMGPU_SHARED std::uint64_t kernel_launches();
SIMGPU_SHARED const void* last_launched_kernel();

/// The registered (mangled) name, "none" for nullptr, "unregistered" otherwise.
SIMGPU_SHARED const char* kernel_name(const void* handle);

/// Counts one call of a library routine that would have computed something (cuBLAS, cuBLASLt).
SIMGPU_SHARED void count_library_call();
SIMGPU_SHARED std::uint64_t library_calls();

}  // namespace simgpu
