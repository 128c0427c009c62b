#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "allocator_expandable",
    .summary = "the caching allocator maps pages into segments that grow (expandable_segments)",
    .relieves = "reserved",
    .when = "reserved is far above allocated: tensors whose sizes change from step to step",
    .cost = "none measured here; not with CUDA IPC of older versions",
    .not_on_cpu = "the CPU has no caching allocator",
    .numerics = NumericsClass::bit_equal,
    .source =
        "PyTorch documentation, Optimizing memory usage with PYTORCH_ALLOC_CONF; torchtune issue "
        "1185 went from 16.39 to 10.83 GiB",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.allocator_settings = "expandable_segments:True"; },
});

}  // namespace
}  // namespace highwater
