#include <torch/optim/adamw.h>

#include "harness/workload/optimizer.hpp"

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
      .state_bytes = [](const at::Tensor& p) { return 2 * static_cast<Bytes>(p.nbytes()); }};
}

}  // namespace highwater
