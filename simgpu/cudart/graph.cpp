#include "simgpu/device/graph.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/capture.hpp"

/// Graphs come from capture alone. What an instantiated graph costs on the device itself is not
/// documented and not counted.

using namespace simgpu;
using simgpu::cudart::report;

namespace {

Graph* graph_of(cudaGraph_t handle) { return reinterpret_cast<Graph*>(handle); }

ExecutableGraph* executable_of(cudaGraphExec_t handle) {
  return reinterpret_cast<ExecutableGraph*>(handle);
}

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph) {
  if (graph == nullptr) return report(cudaErrorInvalidValue);
  auto* const executable = new ExecutableGraph;
  for (const auto& node : graph_of(graph)->nodes) executable->actions.push_back(node->action);
  *handle = reinterpret_cast<cudaGraphExec_t>(executable);
  return cudaSuccess;
}

/// The protocol of every list of nodes: without a place, the length; with one, as many as fit, and
/// null for the rest.
cudaError_t list(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* place, std::size_t* count) {
  if (place != nullptr) {
    std::fill_n(place, *count, nullptr);
    std::transform(nodes.begin(), nodes.begin() + std::min(*count, nodes.size()), place,
                   [](GraphNode* node) { return reinterpret_cast<cudaGraphNode_t>(node); });
  }
  *count = place != nullptr ? std::min(*count, nodes.size()) : nodes.size();
  return cudaSuccess;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                               unsigned long long) {
  return instantiate(executable, graph);
}

SIMGPU_EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                        cudaGraph_t graph, unsigned long long) {
  return instantiate(executable, graph);
}

SIMGPU_EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  return report(launch_graph(*executable_of(executable), stream));
}

SIMGPU_EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph_of(graph);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable_of(executable);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* place,
                                            std::size_t* count) {
  if (graph == nullptr) return report(cudaErrorInvalidValue);
  std::vector<GraphNode*> nodes;
  for (const auto& node : graph_of(graph)->nodes) nodes.push_back(node.get());
  return list(nodes, place, count);
}

/// No edge here has data.
SIMGPU_EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* place,
#if CUDART_VERSION >= 13000
                                                       cudaGraphEdgeData* edges,
#endif
                                                       std::size_t* count) {
#if CUDART_VERSION >= 13000
  if (edges != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
#endif
  return list(reinterpret_cast<const GraphNode*>(node)->dependencies, place, count);
}

SIMGPU_EXPORT cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  std::ofstream file(path);
  file << print_graph(*graph_of(graph));
  return file ? cudaSuccess : report(cudaErrorOperatingSystem);
}
