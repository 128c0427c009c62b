#include "harness/workload/stateful_optimizer.hpp"

#include <utility>

namespace highwater {
namespace {

class StatefulOptimizer final : public Optimizer {
 public:
  StatefulOptimizer(std::vector<at::Tensor> parameters, UpdateRule rule) : rule_(std::move(rule)) {
    for (at::Tensor& parameter : parameters) states_.push_back({.parameter = std::move(parameter)});
  }

  void step() override {
    const at::NoGradGuard no_grad;
    DueParameters due;
    for (ParameterState& state : states_) {
      if (!state.gradient().defined()) continue;
      if (state.step++ == 0) state.tensors = rule_.initial_state(state.parameter);
      due.push_back(&state);
    }
    if (!due.empty()) rule_.update(due);
  }

  std::vector<at::Tensor> state_tensors() const override {
    std::vector<at::Tensor> tensors;
    for (const ParameterState& state : states_) {
      tensors.insert(tensors.end(), state.tensors.begin(), state.tensors.end());
    }
    return tensors;
  }

 private:
  std::vector<ParameterState> states_;
  UpdateRule rule_;
};

}  // namespace

std::function<std::unique_ptr<Optimizer>(std::vector<at::Tensor>)> optimizer_of(UpdateRule rule) {
  return [rule = std::move(rule)](std::vector<at::Tensor> parameters) {
    return std::make_unique<StatefulOptimizer>(std::move(parameters), rule);
  };
}

std::function<void(const DueParameters&)> one_by_one(std::function<void(ParameterState&)> update) {
  return [update = std::move(update)](const DueParameters& due) {
    for (ParameterState* state : due) update(*state);
  };
}

}  // namespace highwater
