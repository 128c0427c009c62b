#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/workload/optimizer.hpp"

namespace highwater {

/// Constants of AdamW (Loshchilov & Hutter 2019): the defaults of torch::optim::AdamW.
struct AdamWConstants {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;

  /// Learning rate with the bias of the average corrected; `step` counts from 1.
  double step_size(std::int64_t step) const;
  /// What the root of the second moment is divided by.
  double root_correction(std::int64_t step) const;
};

/// Average of the gradient and of its square, both zero and of the parameter's type and layout.
std::vector<at::Tensor> zero_moments(const at::Tensor& parameter);
Bytes adamw_state_bytes(const at::Tensor& parameter);

/// One update in place, bit for bit that of torch::optim::AdamW, with one temporary of the moment's
/// size where that has two. All four tensors have the same number of elements in the same order.
void adamw_update(const at::Tensor& parameter, const at::Tensor& gradient,
                  const at::Tensor& average, const at::Tensor& square, std::int64_t step,
                  const AdamWConstants& constants = {});

}  // namespace highwater
