#include "harness/workload/gradient_scaler.hpp"

#include "harness/core/error.hpp"

namespace highwater {

GradientScaler::GradientScaler(at::Device device, double initial_scale,
                               std::int64_t growth_interval)
    : scale_(at::full({}, initial_scale, at::device(device).dtype(at::kFloat))),
      growth_tracker_(at::zeros({}, at::device(device).dtype(at::kInt))),
      growth_interval_(growth_interval) {}

void GradientScaler::unscale(const std::vector<at::Tensor>& parameters) {
  if (found_inf_.defined()) throw InternalError("gradients were unscaled twice in one step");
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (gradient.scalar_type() == at::kHalf) {
      throw InternalError("cannot unscale fp16 gradients: keep parameters in fp32 under autocast");
    }
    gradients.push_back(gradient);
  }
  found_inf_ = at::zeros({}, scale_.options());
  // Python inverts in double precision for the same reason: the inverse of a float scale may round.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  const at::NoGradGuard no_grad;
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse);
}

bool GradientScaler::step(Optimizer& optimizer, const std::vector<at::Tensor>& parameters) {
  if (!found_inf_.defined()) unscale(parameters);
  const bool finite = found_inf_.item<float>() == 0.0F;
  if (finite) optimizer.step();
  const at::NoGradGuard no_grad;
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowthFactor, kBackoffFactor,
                         growth_interval_);
  found_inf_.reset();
  return finite;
}

}  // namespace highwater
