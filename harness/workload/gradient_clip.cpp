#include "harness/workload/gradient_clip.hpp"

namespace highwater {

void clip_gradients(const Tensors& parameters, const GradientClip& clip) {
  const at::NoGradGuard no_grad;
  Tensors gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  if (clip.kind == GradientClip::Kind::value) {
    at::_foreach_clamp_min_(gradients, -clip.limit);
    at::_foreach_clamp_max_(gradients, clip.limit);
    return;
  }
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients)).norm();
  at::_foreach_mul_(gradients, (clip.limit / (norm + 1e-6)).clamp_max(1.0));
}

}  // namespace highwater
