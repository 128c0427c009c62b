#include "harness/workload/reentrant_checkpoint.hpp"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "harness/core/error.hpp"
#include "harness/workload/segment_replay.hpp"

namespace highwater {
namespace {

using torch::autograd::variable_list;

/// Stands in the graph for a whole segment. A Function of torch/csrc/autograd/custom_function.h
/// would need its inputs as separate arguments and one of them to require grad.
class SegmentNode final : public torch::autograd::Node {
 public:
  SegmentNode(const Segment& segment, const Tensors& inputs)
      : Node(torch::autograd::collect_next_edges(inputs)), replay_(segment, inputs) {}

  std::string name() const override { return "Recompute(" + replay_.name() + ")"; }
  variable_list apply(variable_list&& gradients) override;
  void release_variables() override { replay_.release(); }

 private:
  SegmentReplay replay_;
};

variable_list SegmentNode::apply(variable_list&& gradients) {
  if (!torch::autograd::Engine::get_default_engine().is_checkpoint_valid()) {
    throw InternalError("segment \"" + replay_.name() +
                        "\" is checkpointed in the reentrant form, which torch::autograd::grad "
                        "cannot pass: call backward(), or use the technique "
                        "activation_checkpointing");
  }
  const Tensors leaves = replay_.inputs(shared_from_this());
  Tensors reached;
  Tensors their_gradients;
  Tensors outputs = replay_.run(leaves);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!gradients[i].defined() || !outputs[i].requires_grad()) continue;
    reached.push_back(std::move(outputs[i]));
    their_gradients.push_back(std::move(gradients[i]));
  }
  torch::autograd::backward(reached, their_gradients);
  variable_list result;
  for (const at::Tensor& leaf : leaves) result.push_back(leaf.grad());
  return result;
}

}  // namespace

Tensors ReentrantCheckpoint::run(const Segment& segment, const Tensors& inputs) const {
  if (!at::GradMode::is_enabled()) return segment.run(inputs);
  const auto node = std::make_shared<SegmentNode>(segment, inputs);
  Tensors outputs;
  {
    const at::NoGradGuard no_grad;
    for (const at::Tensor& output : segment.run(inputs)) outputs.push_back(output.detach());
  }
  // Ids that travel through a segment have no gradient, and autograd refuses them a history; they
  // still count as outputs, so that gradients keep their places.
  for (at::Tensor& output : outputs) {
    if (torch::autograd::isDifferentiableType(output.scalar_type())) {
      torch::autograd::set_history(output, node);
    } else {
      node->add_input_metadata(torch::autograd::Node::undefined_input());
    }
  }
  return outputs;
}

}  // namespace highwater
