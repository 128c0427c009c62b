#include "harness/workload/registry.hpp"
#include "harness/workload/storage_packing.hpp"

namespace highwater {
namespace {

Unpack as_bf16(const at::Tensor& whole) {
  if (whole.scalar_type() != at::kFloat) return nullptr;
  return [half = whole.to(at::kBFloat16)] { return half.to(at::kFloat); };
}

class Bf16Packing final : public SavedTensorPacking {
 public:
  std::string name() const override { return "bf16"; }
  std::optional<at::ScalarType> rounds_to() const override { return at::kBFloat16; }
  SavedTensorHooksFactory hooks_of_a_forward(const Tensors& resident) const override {
    return pack_each_storage_once(&as_bf16, resident);
  }
};

const RegisterTechnique registered({
    .name = "activation_bf16",
    .summary = "keep what forward saves in fp32 as bf16, and widen it when backward needs it",
    .relieves = "saved_activations",
    .when = "training stays in fp32 and activations are most of the peak; autocast saves as much "
            "and computes faster",
    .cost = "two conversions of every saved tensor; gradients are rounded as under bf16",
    // An LSTM saves thousands of small views of its gates: packed one by one, they move blocks
    // about from step to step, and no two steps have the same peak.
    .needs = {"large_activations"},
    .numerics = NumericsClass::tolerance,
    // Every saved value is off by up to 2^-9: up to 0.02 was measured, but behind batch norms,
    // which the check allows for.
    .tolerance = 3e-2,
    .source = "Chen et al. 2021, ActNN: 2-bit activation compressed training; packed through saved "
              "tensor hooks as in the PyTorch tutorial on them",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.packing = std::make_shared<Bf16Packing>(); },
    // Half of what is fp32, which masks and indices are not, nor most of what autocast leaves.
    .promise = [](const StepPlan& plan, const Measurement& baseline) -> std::optional<Promise> {
      if (plan.autocast) return std::nullopt;
      return promise_part(baseline, "activations_after_forward_bytes", 3);
    },
});

}  // namespace
}  // namespace highwater
