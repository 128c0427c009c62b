#pragma once

#include "fidelity/allocator/comparison.hpp"
#include "fidelity/allocator/subject.hpp"
#include "fidelity/allocator/trace.hpp"

namespace highwater::oracle {

struct Replay {
  Comparison comparison;
  std::size_t allocations = 0;
  std::size_t misplaced = 0;  ///< allocations whose address is not the recorded one
  bool is_end_equal = false;  ///< segments and blocks, against the snapshot at the end of the trace
};

/// Makes the calls of a trace to an allocator that holds what the process held at the trace's
/// start.
Replay replay(const Trace& trace, Subject& subject);

}  // namespace highwater::oracle
