#include "harness/workload/adamw.hpp"

#include <torch/optim/adamw.h>

#include <cmath>

namespace highwater {
namespace {

class AdamW final : public Optimizer {
 public:
  AdamW(std::vector<at::Tensor> parameters, double learning_rate)
      : adamw_(std::move(parameters), torch::optim::AdamWOptions(learning_rate)) {}

  void step() override { adamw_.step(); }

  std::vector<at::Tensor> state_tensors() const override {
    std::vector<at::Tensor> tensors;
    for (const auto& [parameter, state] : adamw_.state()) {
      const auto& moments = static_cast<const torch::optim::AdamWParamState&>(*state);
      tensors.push_back(moments.exp_avg());
      tensors.push_back(moments.exp_avg_sq());
    }
    return tensors;
  }

 private:
  torch::optim::AdamW adamw_;
};

}  // namespace

OptimizerChoice adamw(double learning_rate) {
  return {
      .name = "adamw",
      .make = [learning_rate](std::vector<at::Tensor> parameters) -> std::unique_ptr<Optimizer> {
        return std::make_unique<AdamW>(std::move(parameters), learning_rate);
      },
      .state_bytes = &adamw_state_bytes,
      .temporary_bytes = [](const std::vector<at::Tensor>& p) { return 2 * largest_bytes(p); }};
}

double AdamWConstants::step_size(std::int64_t step) const {
  return learning_rate / (1 - std::pow(beta1, static_cast<double>(step)));
}

double AdamWConstants::root_correction(std::int64_t step) const {
  return std::sqrt(1 - std::pow(beta2, static_cast<double>(step)));
}

Bytes adamw_state_bytes(const at::Tensor& parameter) {
  return 2 * static_cast<Bytes>(parameter.nbytes());
}

std::vector<at::Tensor> zero_moments(const at::Tensor& parameter) {
  return {at::zeros_like(parameter), at::zeros_like(parameter)};
}

void adamw_update(const at::Tensor& parameter, const at::Tensor& gradient,
                  const at::Tensor& average, const at::Tensor& square, std::int64_t step,
                  const AdamWConstants& constants) {
  parameter.mul_(1 - constants.learning_rate * constants.weight_decay);
  average.mul_(constants.beta1).add_(gradient, 1 - constants.beta1);
  square.mul_(constants.beta2).addcmul_(gradient, gradient, 1 - constants.beta2);
  const at::Tensor root = square.sqrt();
  root.div_(constants.root_correction(step)).add_(constants.eps);
  parameter.addcdiv_(average, root, -constants.step_size(step));
}

}  // namespace highwater
