#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "oom_retry",
    .summary = "when forward or backward runs out of memory, release the attempt, halve the "
               "micro-batch and try again",
    .when = "the batch that fits is not known in advance; the effective batch is kept by "
            "accumulation. Where everything fits, as in a suite without a capacity, it is baseline",
    .cost = "the attempts that failed; each step copies running statistics to the host, so that a "
            "failed attempt can be undone",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ: my out of memory exception handler can't allocate memory; pytorch "
              "issue 18853",
    .tags = {"full"},
    // What a failed attempt updated or logged cannot be taken back, nor can the generators and
    // recurrent states of further devices.
    .excludes = {"optimizer_in_backward", "data_parallel", "retained_graph", "stored_outputs"},
    .edit = [](StepPlan& plan) { plan.oom_retry = OutOfMemoryRetry{.smallest_micro_batch = 1}; },
});

}  // namespace
}  // namespace highwater
