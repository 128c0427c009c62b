#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/workload/model_variant.hpp"
#include "harness/workload/optimizer.hpp"
#include "harness/workload/saved_tensors.hpp"
#include "harness/workload/segment.hpp"

namespace highwater {

/// What a step does. All but train only run forward.
enum class StepMode {
  train,
  no_grad,            ///< nothing is saved for backward
  inference_mode,     ///< no_grad, and tensors without version counters
  forward_with_graph  ///< the anti-pattern: everything is saved, and dropped unused
};

/// Mixed precision of forward and loss.
struct Autocast {
  at::ScalarType dtype = at::kHalf;
};

/// Which kernel at::scaled_dot_product_attention takes. On the CPU all fused ones are the same.
enum class AttentionKernel { efficient, math, flash, cudnn };

/// How many recomputable segments are wrapped as one.
enum class SegmentGrouping {
  each,
  square_root  ///< ceil(sqrt(n)) of n
};

/// How gradients are cleared at the start of a step.
enum class GradientReset { zero_fill, set_to_none };

/// Buckets in which the gradients of a data-parallel rank are averaged, as DistributedDataParallel
/// does it, in a world of one process.
enum class GradientBucketing {
  none,
  copies,  ///< gradients are copied into the buckets and the averages back
  views    ///< gradients are views of the buckets
};

/// Limit on gradients before an update.
struct GradientClip {
  enum class Kind { norm, value };
  Kind kind = Kind::norm;
  double limit = 1.0;  ///< L2 norm of all gradients together, or largest absolute element
};

/// When parameters are updated.
enum class UpdateTime {
  after_backward,
  in_backward  ///< each as soon as its gradient is complete, which is released at once
};

/// What a training loop keeps of each step to print a running loss. The totals are of a validation
/// loss: after each update the batch is evaluated once more, with gradients on, and no backward
/// goes through it. (A total of losses that backward went through costs nothing: their graphs are
/// freed.)
enum class LossLog {
  none,
  detached_total,   ///< the running total of detached validation losses
  attached_total,   ///< the running total of validation losses with their graphs
  retained_graphs,  ///< every loss, its graph kept through backward(retain_graph)
  stored_outputs    ///< every output of the model
};

/// What a step does when it runs out of memory in forward or backward: release everything of the
/// attempt, restore random state and running statistics, and try again with half the micro-batch,
/// which later steps keep.
struct OutOfMemoryRetry {
  std::int64_t smallest_micro_batch = 1;  ///< in samples; where that fails too, the error is thrown
};

/// Where the batch lies between steps, and how it gets to the device.
enum class BatchTransfer {
  resident,                   ///< it lies on the device
  side_stream,                ///< in pinned host memory; the next one is copied on another stream
  side_stream_without_record  ///< the same without telling the allocator who still reads it: a race
};

/// How one training step is run. The default is the baseline; a technique edits fields of it, and
/// the step runner obeys the fields without knowing any technique.
struct StepPlan {
  StepMode mode = StepMode::train;
  /// Parts a batch is split into; gradients accumulate over them, the effective batch is unchanged.
  std::int64_t micro_batches = 1;
  std::optional<OutOfMemoryRetry> oom_retry;
  /// Replicas of the model, each on a device of its own with its part of every micro-batch (on the
  /// cpu all on the one device): outputs are gathered and gradients summed on the first.
  std::int64_t devices = 1;
  BatchTransfer batch_transfer = BatchTransfer::resident;
  std::optional<Autocast> autocast;
  /// Scale the loss so that small fp16 gradients do not flush to zero.
  bool gradient_scaler = false;
  /// Type of parameters, floating inputs and buffers.
  at::ScalarType dtype = at::kFloat;
  AttentionKernel attention = AttentionKernel::efficient;
  SegmentGrouping segment_grouping = SegmentGrouping::each;
  /// Applied to recomputable segments; null runs them plainly.
  std::shared_ptr<const SegmentWrap> segment_wrap;
  /// Applied to every tensor that forward saves for backward; null keeps them as they are.
  std::shared_ptr<const SavedTensorPacking> packing;
  GradientReset gradient_reset = GradientReset::zero_fill;
  GradientBucketing gradient_bucketing = GradientBucketing::none;
  std::optional<GradientClip> gradient_clip;
  UpdateTime update = UpdateTime::after_backward;
  OptimizerChoice optimizer = adamw();
  LossLog loss_log = LossLog::none;
  /// Give unused cached blocks back to the device after every step.
  bool empties_cache = false;
  /// Settings of the caching allocator, as PYTORCH_ALLOC_CONF takes them; empty = its defaults.
  std::string allocator_settings;
  /// How the model is built.
  ModelVariant variant;
};

/// Text of every field by name, those of the variant as "model.<field>": what a technique edits is
/// what differs here from the default plan.
std::map<std::string, std::string> describe(const StepPlan& plan);

/// Names of the fields in which two plans differ, sorted.
std::vector<std::string> differing_fields(const StepPlan& a, const StepPlan& b);

}  // namespace highwater
