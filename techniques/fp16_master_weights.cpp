#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

/// AdamW on fp32 copies of fp16 parameters. Their gradients are copies too, made when backward is
/// done, so that unscaling and clipping happen in fp32; they live until the update.
class MasterWeightsAdamW final : public Optimizer {
 public:
  explicit MasterWeightsAdamW(std::vector<at::Tensor> parameters)
      : parameters_(std::move(parameters)) {
    for (const at::Tensor& parameter : parameters_) {
      masters_.push_back(parameter.detach().to(at::kFloat));
    }
    adamw_ = adamw().make(masters_);
  }

  std::vector<at::Tensor> take_gradients(const std::vector<at::Tensor>&) override {
    for (std::size_t i = 0; i < masters_.size(); ++i) {
      const at::Tensor& gradient = parameters_[i].grad();
      masters_[i].mutable_grad() = gradient.defined() ? gradient.to(at::kFloat) : at::Tensor();
    }
    return masters_;
  }

  void step() override {
    adamw_->step();
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < masters_.size(); ++i) {
      parameters_[i].copy_(masters_[i]);
      masters_[i].mutable_grad().reset();
    }
  }

  std::vector<at::Tensor> state_tensors() const override {
    std::vector<at::Tensor> tensors = adamw_->state_tensors();
    tensors.insert(tensors.end(), masters_.begin(), masters_.end());
    return tensors;
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> masters_;
  std::unique_ptr<Optimizer> adamw_;
};

OptimizerChoice adamw_on_masters() {
  return {.name = "adamw on fp32 masters",
          .make = [](std::vector<at::Tensor> parameters) -> std::unique_ptr<Optimizer> {
            return std::make_unique<MasterWeightsAdamW>(std::move(parameters));
          },
          .state_bytes = [](const at::Tensor& p) { return 3 * 4 * Bytes{p.numel()}; }};
}

const RegisterTechnique registered({
    .name = "fp16_master_weights",
    .summary = "parameters and gradients in fp16, with fp32 masters that the optimizer updates",
    .relieves = "saved_activations",
    .when = "fp16 without autocast's weight copies; state is 16 bytes a parameter, as in fp32",
    .cost = "fp32 gradients during the update, 4 bytes a parameter more than AdamW in fp32 there; "
            "norms and losses are taken in fp16",
    .numerics = NumericsClass::tolerance,
    // As autocast_fp16, and weights and statistics are fp16 too.
    .tolerance = 3e-2,
    .source = "Micikevicius et al. 2018, Mixed Precision Training; Rajbhandari et al. 2020, ZeRO: "
              "2 + 2 + 12 bytes a parameter",
    .tags = {"full"},
    // A scaler decides over all gradients before the first update.
    .excludes = {"autocast_fp16", "autocast_bf16", "optimizer_in_backward"},
    .edit =
        [](StepPlan& plan) {
          plan.dtype = at::kHalf;
          plan.gradient_scaler = true;
          plan.optimizer = adamw_on_masters();
        },
    // Half, but for what is counted in integers and masks.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
