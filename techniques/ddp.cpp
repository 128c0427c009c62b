#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "ddp",
    .summary = "one rank of DistributedDataParallel: gradients averaged in buckets of their own",
    .scenario = "small",
    .when = "the batch is spread over processes, one a device; each rank holds what is shown here, "
            "whatever their number",
    .cost = "one more set of gradients, in buckets; ddp_bucket_view is without it",
    .numerics = NumericsClass::bit_equal,
    .source = "Li et al. 2020, PyTorch Distributed: Experiences on Accelerating Data Parallel "
              "Training",
    .tags = {"full"},
    // A failed attempt leaves half of the buckets reduced; an update in backward comes before them.
    .excludes = {"oom_retry", "optimizer_in_backward", "data_parallel", "retained_graph"},
    .edit = [](StepPlan& plan) { plan.gradient_bucketing = GradientBucketing::copies; },
});

}  // namespace
}  // namespace highwater
