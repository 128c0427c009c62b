#include <cmath>

#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

constexpr double kLearningRate = 1e-3;
constexpr double kEps = 1e-30;          ///< added to squared gradients
constexpr double kClipThreshold = 1.0;  ///< largest root mean square of an update
constexpr double kDecayExponent = -0.8;

/// A weight is the matrix it multiplies by, [out, rest]; vectors are not factored.
bool is_factored(const at::Tensor& parameter) { return parameter.dim() >= 2; }

std::int64_t rows(const at::Tensor& parameter) { return parameter.size(0); }
std::int64_t columns(const at::Tensor& parameter) { return parameter.numel() / rows(parameter); }

/// Means of squared gradients by row and by column, or the squares of a vector.
std::vector<at::Tensor> initial_state(const at::Tensor& parameter) {
  const auto options = parameter.options().dtype(at::kFloat);
  if (!is_factored(parameter)) return {at::zeros_like(parameter, options)};
  return {at::zeros({rows(parameter)}, options), at::zeros({columns(parameter)}, options)};
}

Bytes state_bytes(const at::Tensor& parameter) {
  const std::int64_t elements =
      is_factored(parameter) ? rows(parameter) + columns(parameter) : parameter.numel();
  return 4 * elements;
}

/// The gradient over the root of its second moment, which is the product of the two means over
/// their own mean.
at::Tensor factored_update(const at::Tensor& gradient, const at::Tensor& by_row,
                           const at::Tensor& by_column, double share) {
  {
    const at::Tensor squares = gradient.square().add_(kEps);
    by_row.lerp_(squares.mean(1), share);
    by_column.lerp_(squares.mean(0), share);
  }
  return at::outer((by_row / by_row.mean()).rsqrt_(), by_column.rsqrt()).mul_(gradient);
}

at::Tensor plain_update(const at::Tensor& gradient, const at::Tensor& squares, double share) {
  squares.lerp_(gradient.square().add_(kEps), share);
  return squares.rsqrt().mul_(gradient);
}

void update(ParameterState& state) {
  const double share = std::pow(static_cast<double>(state.step), kDecayExponent);
  const at::Tensor gradient = state.gradient().to(at::kFloat);
  const at::Tensor update =
      is_factored(state.parameter)
          ? factored_update(gradient.flatten(1), state.tensors[0], state.tensors[1], share)
          : plain_update(gradient, state.tensors[0], share);
  const at::Tensor root_mean_square =
      update.norm() / std::sqrt(static_cast<double>(update.numel()));
  update.div_((root_mean_square / kClipThreshold).clamp_min_(1.0));
  state.parameter.sub_(update.view(state.parameter.sizes()), kLearningRate);
}

const RegisterTechnique registered({
    .name = "adafactor",
    .summary = "second moments as one number a row and a column, no first moment",
    .relieves = "optimizer_state",
    .scenario = "small",
    .when = "large matrices, and AdamW's state does not fit",
    .cost = "another optimisation, with more kernels a parameter; less stable than AdamW",
    .numerics = NumericsClass::different_by_design,
    .source =
        "Shazeer & Stern 2018, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost; "
        "constants of Hugging Face's, whose table has BERT-large from 14.9 to 12.3 GB; here "
        "with a fixed learning rate and convolutions factored as matrices",
    .tags = {"full"},
    .edit =
        [](StepPlan& plan) {
          plan.optimizer = {.name = "adafactor",
                            .make = optimizer_of(
                                {.initial_state = &initial_state, .update = one_by_one(&update)}),
                            .state_bytes = &state_bytes};
        },
    // A matrix of m x n keeps m + n of 2 m n: a quarter or less from sides of 4 on. Vectors keep
    // half.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          const std::int64_t state = baseline.at("optimizer_state_bytes");
          return promise_at_rest(state - state / 4);
        },
});

}  // namespace
}  // namespace highwater
