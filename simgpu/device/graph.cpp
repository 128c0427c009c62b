#include "simgpu/device/graph.hpp"

#include <set>
#include <sstream>

namespace simgpu {
namespace {

const char* name_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return "kernel";
    case WorkKind::library:
      return "library call";
    case WorkKind::copy:
      return "copy";
    case WorkKind::fill:
      return "fill";
    case WorkKind::host_function:
      return "host function";
    case WorkKind::event:
      return "event";
    case WorkKind::graph:
      break;
  }
  return "graph";
}

}  // namespace

bool depends_on(const std::vector<GraphNode*>& from, GraphNode* node) {
  std::vector<GraphNode*> open = from;
  std::set<GraphNode*> seen;
  while (!open.empty()) {
    GraphNode* const next = open.back();
    open.pop_back();
    if (next == node) return true;
    if (seen.insert(next).second)
      open.insert(open.end(), next->dependencies.begin(), next->dependencies.end());
  }
  return false;
}

std::string print_graph(const Graph& graph) {
  std::ostringstream text;
  text << "digraph graph_of_work {\n";
  for (const auto& node : graph.nodes) {
    text << "  \"" << node.get() << "\" [label=\"" << name_of(node->kind) << "\"];\n";
    for (GraphNode* dependency : node->dependencies)
      text << "  \"" << dependency << "\" -> \"" << node.get() << "\";\n";
  }
  text << "}\n";
  return text.str();
}

}  // namespace simgpu
