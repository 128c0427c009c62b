#pragma once

#include <unordered_map>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/run/device_session.hpp"

namespace highwater {

/// Workspaces of the device's libraries with their sizes: what disappears when they are cleared,
/// which this does.
std::unordered_map<BlockId, Bytes> clear_workspace_blocks(const DeviceSession& session,
                                                          const AllocationRecorder& recorder);

}  // namespace highwater
