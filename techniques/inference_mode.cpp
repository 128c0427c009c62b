#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "inference_mode",
    .summary = "forward alone, under c10::InferenceMode",
    .relieves = "saved_activations",
    .when = "inference whose results never meet autograd again; the bytes are those of no_grad",
    .cost = "none; a little less work for the host than no_grad",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, InferenceMode in C++",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.mode = StepMode::inference_mode; },
    .promise = promise_inference,
});

}  // namespace
}  // namespace highwater
