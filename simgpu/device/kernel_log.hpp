#pragma once

#include <cstdint>
#include <string>

#include "simgpu/device/export.hpp"
#include "simgpu/device/kernels.hpp"

namespace simgpu {

/// Writes what is put into streams, a JSON object a line, to the file that SIMGPU_KERNEL_LOG names.
/// Nothing happens where it is unset. A line is appended whole by one system call, so several
/// processes may share the file and a process that is killed has told all it did. Every line has
///
///   process, index    who put it in, and as which piece of work of that process
///   device, stream    0 is the null stream; for a replay, the stream that was captured
///   kind              "kernel", "product", "library", "copy" or "fill"
///
/// and a kernel its name (mangled), module (the library it is from), grid, block, shared_bytes; a
/// product its name, m, n, k, batch, types, transposed ("NT": the first operand as it is, the
/// second transposed); a library call its name; a copy its direction and bytes; a fill its bytes.

void log_kernel(const KernelLaunch& launch);
void log_library(StreamHandle stream, const char* name);
void log_product(StreamHandle stream, const Product& product);
SIMGPU_SHARED void log_copy(StreamHandle stream, const char* direction, std::uint64_t bytes);
SIMGPU_SHARED void log_fill(StreamHandle stream, std::uint64_t bytes);

}  // namespace simgpu
