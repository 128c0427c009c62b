#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "allocator_split",
    .summary = "the caching allocator splits no block above 128 MiB (max_split_size_mb)",
    .relieves = "reserved",
    .when = "large blocks are split for small requests and cannot be joined again",
    .cost = "large blocks are reused only for requests of about their size: reserved can also grow",
    .not_on_cpu = "the CPU has no caching allocator",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, Optimizing memory usage with PYTORCH_ALLOC_CONF",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.allocator_settings = "max_split_size_mb:128"; },
});

}  // namespace
}  // namespace highwater
