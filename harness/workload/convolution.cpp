#include "harness/workload/convolution.hpp"

#include "harness/workload/layers.hpp"
#include "harness/workload/recompute.hpp"

namespace highwater {

Conv2d::Conv2d(const ConvolutionShape& shape, at::Device device) : shape_(shape) {
  const std::int64_t depth = shape.in / shape.groups;
  const std::int64_t fan_in = depth * shape.kernel * shape.kernel;
  weight = register_parameter(
      "weight", uniform_parameter({shape.out, depth, shape.kernel, shape.kernel}, fan_in, device));
  if (shape.bias) bias = register_parameter("bias", uniform_parameter({shape.out}, fan_in, device));
}

at::Tensor Conv2d::forward(const at::Tensor& x) const {
  const ModuleScope here = scope();
  const std::int64_t padding = shape_.padding();
  return at::conv2d(x, weight, bias, {shape_.stride, shape_.stride}, {padding, padding},
                    /*dilation=*/{1, 1}, shape_.groups);
}

Upsample2d::Upsample2d(std::int64_t in, std::int64_t out, at::Device device) {
  const std::int64_t fan_in = out * 2 * 2;  // as PyTorch counts it for transposed weights
  weight = register_parameter("weight", uniform_parameter({in, out, 2, 2}, fan_in, device));
  bias = register_parameter("bias", uniform_parameter({out}, fan_in, device));
}

BatchNorm2d::BatchNorm2d(std::int64_t channels, at::Device device) {
  const auto floats = at::device(device).dtype(at::kFloat);
  weight = register_parameter("weight", at::ones({channels}, floats));
  bias = register_parameter("bias", at::zeros({channels}, floats));
  running_mean = register_buffer("running_mean", at::zeros({channels}, floats));
  running_var = register_buffer("running_var", at::ones({channels}, floats));
  num_batches_tracked =
      register_buffer("num_batches_tracked", at::zeros({}, floats.dtype(at::kLong)));
}

at::Tensor BatchNorm2d::forward(const at::Tensor& x) {
  const ModuleScope here = scope();
  // Momentum 0 leaves the statistics bit-identical and saves the same tensors as 0.1 does.
  const double momentum = recomputing() ? 0.0 : 0.1;
  if (!recomputing()) num_batches_tracked.add_(1);
  return at::batch_norm(x, weight, bias, running_mean, running_var, /*training=*/true, momentum,
                        /*eps=*/1e-5, at::globalContext().userEnabledCuDNN());
}

at::Tensor max_pool_by_two(const at::Tensor& x) { return at::max_pool2d(x, {2, 2}); }

}  // namespace highwater
