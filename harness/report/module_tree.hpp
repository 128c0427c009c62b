#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/measure/inspection.hpp"

namespace highwater {

/// A module with all that lies under it.
struct ModuleNode {
  std::string name;  ///< last word of the path, "model" for the root
  std::size_t depth = 0;
  Bytes bytes = 0;
  std::map<std::string, Bytes> by_category;
};

/// The parts as a tree by the dots of their paths, each node before its children, children by bytes
/// (numbered ones by number). Nodes deeper than `depth` count into their parents.
std::vector<ModuleNode> module_tree(const std::vector<MemoryPart>& parts, std::size_t depth);

}  // namespace highwater
