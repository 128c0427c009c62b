#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "side_stream_without_record",
    .summary = "the anti-pattern of side_stream: the allocator is not told which stream reads the "
               "batch",
    .when = "never: the next copy takes the batch's block while the step still reads it. The batch "
            "less that it reserves is the race",
    .cost = "wrong inputs, now and then",
    .not_on_cpu = "the CPU has no streams",
    // A step may train on parts of two batches.
    .numerics = NumericsClass::different_by_design,
    .source = "PyTorch documentation, Tensor.record_stream",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.batch_transfer = BatchTransfer::side_stream_without_record; },
});

}  // namespace
}  // namespace highwater
