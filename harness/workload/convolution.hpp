#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/workload/scoped_module.hpp"

namespace highwater {

/// Layers of convolutional networks, as those of layers.hpp.

/// What a convolution does to an image, in the terms of torch::nn::Conv2dOptions.
struct ConvolutionShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
  bool bias = false;

  /// None where the image is cut into patches, else what keeps its size at stride 1.
  std::int64_t padding() const { return kernel == stride ? 0 : kernel / 2; }
};

/// x: [n, in, h, w] -> [n, out, h / stride, w / stride] for sides that the stride divides.
class Conv2d : public ScopedModule {
 public:
  Conv2d(const ConvolutionShape& shape, at::Device device);
  at::Tensor forward(const at::Tensor& x) const;
  const ConvolutionShape& shape() const { return shape_; }

  at::Tensor weight;  ///< [out, in / groups, kernel, kernel]
  at::Tensor bias;    ///< [out], or undefined

 private:
  ConvolutionShape shape_;
};

/// Twice the sides and other channels. x: [n, in, h, w] -> [n, out, 2h, 2w].
class Upsample2d : public ScopedModule {
 public:
  Upsample2d(std::int64_t in, std::int64_t out, at::Device device);
  at::Tensor forward(const at::Tensor& x) const {
    const ModuleScope here = scope();
    return at::conv_transpose2d(x, weight, bias, /*stride=*/{2, 2});
  }

  at::Tensor weight;  ///< [in, out, 2, 2]
  at::Tensor bias;    ///< [out]
};

/// Batch normalisation in training mode, momentum 0.1, eps 1e-5. Running statistics stand still
/// while a segment is recomputed, else they would move twice a step.
class BatchNorm2d : public ScopedModule {
 public:
  BatchNorm2d(std::int64_t channels, at::Device device);
  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
  at::Tensor num_batches_tracked;  ///< int64 scalar
};

namespace closed_forms {

/// What the forms of convolutional models account for beside hold()'s own: sizes, which they read
/// off the model, and what keeps the same bytes. (On a GPU an fp32 batch norm of channels-last
/// images also keeps a reserve whose size only cuDNN knows; the simulated GPU refuses to guess.)
inline const std::vector<std::string_view> kConvolutionalFields = {
    "model.width_divisor", "model.depth_divisor", "model.small_kernels", "model.inplace_relu",
    "model.channels_last"};

}  // namespace closed_forms

/// Halves both sides, taking the largest of each square of four.
at::Tensor max_pool_by_two(const at::Tensor& x);

}  // namespace highwater
