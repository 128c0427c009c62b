#include "harness/workload/layers.hpp"

#include <algorithm>
#include <cmath>

#include "harness/workload/recompute.hpp"

namespace highwater {
namespace {

at::TensorOptions floats(at::Device device) { return at::device(device).dtype(at::kFloat); }

/// PyTorch's default for linear and convolution weights: U(-1/sqrt(fan_in), 1/sqrt(fan_in)).
at::Tensor uniform(at::IntArrayRef shape, std::int64_t fan_in, at::Device device) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  return at::empty(shape, floats(device)).uniform_(-bound, bound);
}

}  // namespace

Linear::Linear(std::int64_t in, std::int64_t out, at::Device device, bool has_bias) {
  weight = register_parameter("weight", uniform({out, in}, in, device));
  if (has_bias) bias = register_parameter("bias", uniform({out}, in, device));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  if (!down.defined()) return at::linear(x, weight, bias);
  if (!weight.defined()) return at::linear(at::linear(x, down), up, bias);
  return at::linear(x, weight, bias) + at::linear(at::linear(x, down), up);
}

void Linear::register_factors(std::int64_t rank) {
  const std::int64_t in = weight.size(1);
  down = register_parameter("down", uniform({rank, in}, in, weight.device()));
  up = register_parameter("up", uniform({weight.size(0), rank}, rank, weight.device()));
}

void Linear::factorise(std::int64_t rank) {
  register_factors(rank);
  parameters_.erase("weight");
  weight.reset();
}

void Linear::adapt(std::int64_t rank) {
  register_factors(rank);
  const at::NoGradGuard no_grad;
  up.zero_();
}

namespace {

/// r (m + n) < m n: below that rank two factors are smaller than their product.
bool saves(const Linear& layer, std::int64_t rank) {
  const std::int64_t in = layer.weight.size(1);
  const std::int64_t out = layer.weight.size(0);
  return rank > 0 && rank * (in + out) < in * out;
}

std::int64_t reduced_rank(const Linear& layer, std::int64_t divisor) {
  return divisor == 1 ? 0 : std::min(layer.weight.size(0), layer.weight.size(1)) / divisor;
}

}  // namespace

void adapt_linear_layers(torch::nn::Module& model, const ModelVariant& variant) {
  if (variant.lora_rank > 0) {
    for (at::Tensor& parameter : model.parameters()) parameter.set_requires_grad(false);
  }
  for (const auto& module : model.modules(/*include_self=*/false)) {
    const auto layer = std::dynamic_pointer_cast<Linear>(module);
    if (layer == nullptr) continue;
    if (saves(*layer, variant.lora_rank)) layer->adapt(variant.lora_rank);
    const std::int64_t rank = reduced_rank(*layer, variant.rank_divisor);
    if (saves(*layer, rank)) layer->factorise(rank);
  }
}

LayerNorm::LayerNorm(std::int64_t width, double eps, at::Device device) : eps_(eps) {
  weight = register_parameter("weight", at::ones({width}, floats(device)));
  bias = register_parameter("bias", at::zeros({width}, floats(device)));
}

Embedding::Embedding(std::int64_t count, std::int64_t width, double deviation, at::Device device) {
  weight = register_parameter("weight",
                              at::empty({count, width}, floats(device)).normal_(0.0, deviation));
}

Conv2d::Conv2d(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
               at::Device device)
    : stride_(stride), padding_(kernel / 2) {
  weight = register_parameter("weight",
                              uniform({out, in, kernel, kernel}, in * kernel * kernel, device));
}

BatchNorm2d::BatchNorm2d(std::int64_t channels, at::Device device) {
  weight = register_parameter("weight", at::ones({channels}, floats(device)));
  bias = register_parameter("bias", at::zeros({channels}, floats(device)));
  running_mean = register_buffer("running_mean", at::zeros({channels}, floats(device)));
  running_var = register_buffer("running_var", at::ones({channels}, floats(device)));
  num_batches_tracked =
      register_buffer("num_batches_tracked", at::zeros({}, floats(device).dtype(at::kLong)));
}

at::Tensor BatchNorm2d::forward(const at::Tensor& x) {
  // Momentum 0 leaves the statistics bit-identical and saves the same tensors as 0.1 does.
  const double momentum = recomputing() ? 0.0 : 0.1;
  if (!recomputing()) num_batches_tracked.add_(1);
  return at::batch_norm(x, weight, bias, running_mean, running_var, /*training=*/true, momentum,
                        /*eps=*/1e-5, at::globalContext().userEnabledCuDNN());
}

at::Tensor dropout(const at::Tensor& x, double p) {
  return p == 0.0 ? x : std::get<0>(at::native_dropout(x, p, /*train=*/true));
}

}  // namespace highwater
