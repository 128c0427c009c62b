#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "ddp_bucket_view",
    .summary = "one rank of DistributedDataParallel whose gradients are views of the buckets",
    .relieves = "gradients",
    .scenario = "small",
    .when = "always beside ddp (gradient_as_bucket_view=True), unless something calls detach_ on "
            "gradients",
    .cost = "none beside ddp; against one process alone, what a bucket is larger than its "
            "gradients",
    .numerics = NumericsClass::bit_equal,
    .source = "pytorch pull request 41954: 8250 to 7183 MB for about 1 GB of parameters",
    .tags = {"full"},
    .excludes = {"oom_retry", "optimizer_in_backward", "data_parallel", "retained_graph"},
    .edit = [](StepPlan& plan) { plan.gradient_bucketing = GradientBucketing::views; },
});

}  // namespace
}  // namespace highwater
