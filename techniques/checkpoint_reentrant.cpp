#include "harness/workload/reentrant_checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "checkpoint_reentrant",
    .summary = "activation checkpointing by a backward inside of backward, Python's older form",
    .relieves = "saved_activations",
    .when = "beside activation_checkpointing, to compare: the whole graph of a segment is alive "
            "when its backward begins, and torch::autograd::grad cannot pass it",
    .cost = "one more forward",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, torch.utils.checkpoint, use_reentrant",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.segment_wrap = std::make_shared<ReentrantCheckpoint>(); },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
