#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "side_stream",
    .summary = "the batch comes from pinned host memory, one step ahead, on a stream of its own",
    .when = "copies of the batch are to hide behind the computation",
    .cost = "record_stream keeps each batch active until its step is done: one more batch reserved",
    .not_on_cpu = "the CPU has no streams",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, Tensor.record_stream; NVIDIA apex, data_prefetcher",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.batch_transfer = BatchTransfer::side_stream; },
});

}  // namespace
}  // namespace highwater
