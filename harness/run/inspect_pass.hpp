#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/measure/inspection.hpp"

namespace highwater {

/// Trains the cell as the memory pass does, up to its last measured step, and says where the memory
/// of that one goes. Parameters, gradients and buffers have their own module's path; what a step
/// makes has the segment's that made it, forward or backward, or outside of the model the phase's
/// name; the optimizer's state is "optimizer", the batch "batch", library workspaces "workspaces".
/// @throws Error (cell_error) where the device runs out of memory, InternalError where the recorder
/// and the allocator disagree about the peak.
Inspection inspect_cell(const Cell& cell, const Protocol& protocol);

}  // namespace highwater
