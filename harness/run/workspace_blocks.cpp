#include "harness/run/workspace_blocks.hpp"

namespace highwater {

std::unordered_map<BlockId, Bytes> clear_workspace_blocks(const DeviceSession& session,
                                                          const AllocationRecorder& recorder) {
  auto blocks = recorder.alive();
  session.clear_workspaces();
  const auto kept = recorder.alive();
  std::erase_if(blocks, [&](const auto& block) { return kept.contains(block.first); });
  return blocks;
}

}  // namespace highwater
