#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "checkpoint_sqrt",
    .summary =
        "keep only the inputs of every ceil(sqrt(n)) of n segments and recompute in backward",
    .relieves = "saved_activations",
    .when =
        "even the inputs of all segments are too much: n segments keep about sqrt(n) of them, and "
        "as many are alive while one group is recomputed",
    .cost = "one more forward, as activation_checkpointing; the group being recomputed is larger",
    .numerics = NumericsClass::bit_equal,
    .source = "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost",
    .tags = {"full"},
    .edit =
        [](StepPlan& plan) {
          plan.segment_grouping = SegmentGrouping::square_root;
          plan.segment_wrap = std::make_shared<Checkpoint>();
        },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
