#pragma once

#include <string>

#include "harness/measure/inspection.hpp"

namespace highwater {

/// The summary as torch.cuda.memory_summary lays it out (torch/cuda/memory.py): same rows, widths
/// and units, of which each row takes those of its first line.
std::string allocator_text(const AllocatorSummary& summary);

}  // namespace highwater
