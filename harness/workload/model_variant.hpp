#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace highwater {

class SegmentWrap;

/// How a model is built differently from its paper, by techniques that change the model and not the
/// loop around it. The default is the model as published. A model obeys the fields that its
/// declaration lists as abilities and never sees the others.
struct ModelVariant {
  std::int64_t batch_divisor = 1;  ///< the example batch has this part of its samples, at least one
  std::int64_t width_divisor = 1;  ///< hidden widths and channels; head dimensions stay
  std::int64_t depth_divisor = 1;  ///< repeated layers or blocks, at least one of each kind
  bool small_kernels = false;      ///< convolution kernels of 3 and more become 1 (a stem's stays)
  /// Linear weights become two factors, their rank this part of the smaller side; 1 off.
  std::int64_t rank_divisor = 1;
  std::int64_t lora_rank =
      0;  ///< frozen model, trained adapters of this rank on linear layers; 0 off
  bool inplace_relu = false;     ///< ReLU overwrites its input
  bool channels_last = false;    ///< weights and images of convolutions in NHWC memory order
  std::int64_t loss_chunks = 1;  ///< logits and their loss in so many parts, each recomputed
  bool attached_state = false;   ///< recurrent state that steps hand on keeps its graph
  /// Applied to the core of attention (from query, key and value to the context); null = plainly.
  std::shared_ptr<const SegmentWrap> attention_wrap;
  /// Applied to an activation function and the linear layer that reads its output.
  std::shared_ptr<const SegmentWrap> activation_wrap;

  /// What becomes of a published width, depth or kernel size.
  std::int64_t width_of(std::int64_t own) const;
  std::int64_t depth_of(std::int64_t own) const;
  std::int64_t kernel_of(std::int64_t own) const { return small_kernels && own >= 3 ? 1 : own; }
};

/// Text of every field by name, as step_plan.hpp's describe.
std::map<std::string, std::string> describe(const ModelVariant& variant);

}  // namespace highwater
