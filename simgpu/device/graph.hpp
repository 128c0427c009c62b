#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// What a piece of work is, for graphs that are printed.
enum class WorkKind { kernel, library, copy, fill, host_function, event, graph };

/// A captured piece of work.
struct GraphNode {
  WorkKind kind;
  std::function<void()> action;  ///< what doing it once changes
  std::vector<GraphNode*> dependencies;
};

/// A cudaGraph_t: nodes in the order in which they were captured, which every dependency keeps.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
};

/// A cudaGraphExec_t: lives on when its graph is destroyed.
struct ExecutableGraph {
  std::vector<std::function<void()>> actions;
};

/// Whether `node` is among `from` or what they depend on, however far.
bool depends_on(const std::vector<GraphNode*>& from, GraphNode* node);

/// The graph in the DOT language.
SIMGPU_SHARED std::string print_graph(const Graph& graph);

}  // namespace simgpu
