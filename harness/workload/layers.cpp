#include "harness/workload/layers.hpp"

#include <algorithm>
#include <cmath>

namespace highwater {
namespace {

at::TensorOptions floats(at::Device device) { return at::device(device).dtype(at::kFloat); }

}  // namespace

at::Tensor uniform_parameter(at::IntArrayRef shape, std::int64_t fan_in, at::Device device) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  return at::empty(shape, floats(device)).uniform_(-bound, bound);
}

Linear::Linear(std::int64_t in, std::int64_t out, at::Device device, bool has_bias) {
  weight = register_parameter("weight", uniform_parameter({out, in}, in, device));
  if (has_bias) bias = register_parameter("bias", uniform_parameter({out}, in, device));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const ModuleScope here = scope();
  if (!down.defined()) return at::linear(x, weight, bias);
  if (!weight.defined()) return at::linear(at::linear(x, down), up, bias);
  return at::linear(x, weight, bias) + at::linear(at::linear(x, down), up);
}

void Linear::register_factors(std::int64_t rank) {
  const std::int64_t in = weight.size(1);
  down = register_parameter("down", uniform_parameter({rank, in}, in, weight.device()));
  up = register_parameter("up", uniform_parameter({weight.size(0), rank}, rank, weight.device()));
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

TensorFunction relu_of(const ModelVariant& variant) {
  if (!variant.inplace_relu) return [](const at::Tensor& x) { return at::relu(x); };
  return [](at::Tensor x) { return at::relu_(x); };
}

at::Tensor dropout(const at::Tensor& x, double p) {
  return p == 0.0 ? x : std::get<0>(at::native_dropout(x, p, /*train=*/true));
}

}  // namespace highwater
