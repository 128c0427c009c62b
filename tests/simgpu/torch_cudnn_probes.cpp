#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simgpu/device/unknown_sizes.hpp"
#include "tests/simgpu/torch_probes.hpp"

namespace {

using at::Tensor;

c10::CachingDeviceAllocator::DeviceStats stats() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0);
}

/// Prints how far `work` went above what was there before, and what of it was not known.
void print_peak(const std::function<void()>& work) {
  const std::int64_t before = stats().requested_bytes[0].current;
  c10::cuda::CUDACachingAllocator::resetPeakStats(0);
  work();
  std::cout << "peak " << stats().requested_bytes[0].peak - before << '\n'
            << "unknown " << simgpu_unknown_sizes() << '\n';
}

Tensor on_device(std::vector<std::int64_t> sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions().device(at::kCUDA).dtype(type));
}

struct Convolution {
  std::int64_t dimensions;
  std::int64_t groups = 1;
  std::int64_t dilation = 1;
  bool transposed = false;
  bool channels_last = false;
  at::ScalarType type = at::kFloat;
  bool tf32 = false;
};

constexpr std::int64_t channels = 64;

Tensor laid_out(const Tensor& tensor, const Convolution& c) {
  if (!c.channels_last) return tensor;
  return tensor.contiguous(c.dimensions == 3 ? at::MemoryFormat::ChannelsLast3d
                                             : at::MemoryFormat::ChannelsLast);
}

/// Forward and backward of one layer with a 3-wide kernel.
void convolve(const Convolution& c) {
  at::globalContext().setAllowTF32CuDNN(c.tf32);
  std::vector<std::int64_t> image = {4, channels}, kernel = {channels, channels / c.groups};
  for (std::int64_t i = 0; i < c.dimensions; ++i) {
    image.push_back(24);
    kernel.push_back(3);
  }
  const Tensor x = laid_out(on_device(image, c.type), c);
  const Tensor weight = laid_out(on_device(kernel, c.type), c);
  const std::vector<std::int64_t> ones(c.dimensions, 1), zeros(c.dimensions, 0),
      dilation(c.dimensions, c.dilation);
  print_peak([&] {
    const Tensor y =
        at::convolution(x, weight, {}, ones, ones, dilation, c.transposed, zeros, c.groups);
    at::convolution_backward(y, x, weight, {}, ones, ones, dilation, c.transposed, zeros, c.groups,
                             {true, true, false});
  });
}

/// The first layer of ViT-B/16 on four images.
void convolve_patches() {
  const Tensor images = on_device({4, 3, 224, 224}, at::kBFloat16);
  const Tensor weight = on_device({768, 3, 16, 16}, at::kBFloat16);
  print_peak([&] { at::conv2d(images, weight, {}, 16); });
}

/// Batch norm in training, which makes cuDNN calls in float alone.
void normalise(bool channels_last) {
  const Tensor image = on_device({8, 64, 16, 16}, at::kFloat);
  const Tensor x = channels_last ? image.contiguous(at::MemoryFormat::ChannelsLast) : image;
  const Tensor c = on_device({64}, at::kFloat);
  print_peak([&] { at::cudnn_batch_norm(x, c, c, c, c, true, 0.1, 1e-5); });
}

/// Backward of causal attention; q, k, v: [2, 4, 256, 64].
void attend() {
  const std::int64_t length = 256;
  const Tensor q = on_device({2, 4, length, 64}, at::kBFloat16);
  const auto forward = at::_scaled_dot_product_cudnn_attention(q, q, q, {}, true, 0.0, true, false);
  print_peak([&] {
    at::_scaled_dot_product_cudnn_attention_backward(
        std::get<0>(forward), q, q, q, std::get<0>(forward), std::get<1>(forward),
        std::get<6>(forward), std::get<7>(forward), {}, std::get<2>(forward), std::get<3>(forward),
        length, length, 0.0, true);
  });
}

/// What Torch does with torch.backends.cudnn.benchmark on.
void search() {
  at::globalContext().setBenchmarkCuDNN(true);
  convolve({.dimensions = 2});
}

/// Nothing of cuDNN.
void multiply() {
  const Tensor a = on_device({64, 64}, at::kFloat);
  print_peak([&] { at::mm(a, a); });
}

const std::map<std::string, std::function<void()>>& probes() {
  static const std::map<std::string, std::function<void()>> table = {
      {"cudnn_attention", attend},
      {"cudnn_batch_norm", [] { normalise(false); }},
      {"cudnn_batch_norm_channels_last", [] { normalise(true); }},
      {"cudnn_none", multiply},
      {"cudnn_patches", convolve_patches},
      {"cudnn_search", search},
      {"convolution_1d", [] { convolve({.dimensions = 1}); }},
      {"convolution_2d", [] { convolve({.dimensions = 2}); }},
      {"convolution_3d", [] { convolve({.dimensions = 3}); }},
      {"convolution_tf32", [] { convolve({.dimensions = 2, .tf32 = true}); }},
      {"convolution_fp16", [] { convolve({.dimensions = 2, .type = at::kHalf}); }},
      {"convolution_bf16", [] { convolve({.dimensions = 2, .type = at::kBFloat16}); }},
      {"convolution_bf16_channels_last",
       [] { convolve({.dimensions = 2, .channels_last = true, .type = at::kBFloat16}); }},
      {"convolution_3d_bf16_channels_last",
       [] { convolve({.dimensions = 3, .channels_last = true, .type = at::kBFloat16}); }},
      {"convolution_channels_last", [] { convolve({.dimensions = 2, .channels_last = true}); }},
      {"convolution_grouped", [] { convolve({.dimensions = 2, .groups = 4}); }},
      {"convolution_depthwise", [] { convolve({.dimensions = 2, .groups = channels}); }},
      {"convolution_dilated", [] { convolve({.dimensions = 2, .dilation = 2}); }},
      {"convolution_transposed", [] { convolve({.dimensions = 2, .transposed = true}); }},
      {"convolution_transposed_bf16",
       [] { convolve({.dimensions = 2, .transposed = true, .type = at::kBFloat16}); }},
  };
  return table;
}

}  // namespace

bool run_cudnn_probe(const std::string& name) {
  const auto found = probes().find(name);
  if (found == probes().end()) return false;
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  found->second();
  return true;
}
