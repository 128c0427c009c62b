#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/workload/optimizer.hpp"

namespace highwater {

/// Dynamic loss scaling, with the constants and the order of events of Python's
/// torch.amp.GradScaler (torch/amp/grad_scaler.py): start at 65536, double after 2000 good steps in
/// a row, halve and skip the step where a gradient is not finite.
///
/// One use per step: scale() each micro-batch's loss, backward, then step(). The scale lives on the
/// device; step() reads one flag back, the only synchronisation.
class GradientScaler {
 public:
  /// Kept between steps: the scale (float) and the count of good steps (int32).
  static constexpr Bytes kStateBytes = 8;
  static constexpr double kInitialScale = 65536.0;
  static constexpr double kGrowthFactor = 2.0;
  static constexpr double kBackoffFactor = 0.5;
  static constexpr std::int64_t kGrowthInterval = 2000;

  explicit GradientScaler(at::Device device, double initial_scale = kInitialScale,
                          std::int64_t growth_interval = kGrowthInterval);

  at::Tensor scale(const at::Tensor& loss) const { return loss * scale_; }

  /// Divides all gradients by the scale and notes whether one is not finite.
  /// @throws InternalError when called twice in a step, or on fp16 gradients: dividing those again
  /// could flush them to zero.
  void unscale(const std::vector<at::Tensor>& parameters);

  /// Unscales unless that was done, runs the optimizer unless a gradient was not finite, and moves
  /// the scale. Returns whether the optimizer ran.
  bool step(Optimizer& optimizer, const std::vector<at::Tensor>& parameters);

  /// Reads the scale back from the device (synchronises).
  double current_scale() const { return scale_.item<double>(); }
  std::vector<at::Tensor> state_tensors() const { return {scale_, growth_tracker_}; }

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;  ///< defined between unscale() and step()
  std::int64_t growth_interval_;
};

}  // namespace highwater
