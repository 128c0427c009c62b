#include <torch/optim/sgd.h>

#include "harness/workload/optimizer.hpp"

namespace highwater {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, double learning_rate, double momentum)
      : sgd_(std::move(parameters), torch::optim::SGDOptions(learning_rate).momentum(momentum)) {}

  void step() override { sgd_.step(); }

  std::vector<at::Tensor> state_tensors() const override {
    std::vector<at::Tensor> tensors;
    for (const auto& [parameter, state] : sgd_.state()) {
      const auto& buffer =
          static_cast<const torch::optim::SGDParamState&>(*state).momentum_buffer();
      if (buffer.defined()) tensors.push_back(buffer);
    }
    return tensors;
  }

 private:
  torch::optim::SGD sgd_;
};

}  // namespace

OptimizerChoice sgd(double learning_rate, double momentum) {
  return {.name = momentum == 0 ? "sgd" : "sgd with momentum",
          .make = [=](std::vector<at::Tensor> parameters) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Sgd>(std::move(parameters), learning_rate, momentum);
          },
          .state_bytes =
              [=](const at::Tensor& p) {
                return momentum == 0 ? Bytes{0} : static_cast<Bytes>(p.nbytes());
              },
          .temporary_bytes = [](const std::vector<at::Tensor>&) { return Bytes{0}; }};
}

}  // namespace highwater
