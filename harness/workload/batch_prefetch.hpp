#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include "harness/workload/batch.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// The batch in pinned host memory, from which copies to the device need not be waited for.
Batch in_pinned_memory(const Batch& batch);

/// Copies batches from the host to a device on a stream of its own, one step ahead: the next copy
/// starts as soon as a step has been given to the device, and overlaps with it.
///
/// The caching allocator knows only the stream on which a block was allocated: once the batch is
/// dropped, the next copy may take its block while the step still reads it. `record_stream` makes
/// the allocator wait: the block stays active until the step is done, and the next copy takes
/// another one.
class BatchPrefetch {
 public:
  /// @param device not the cpu, which has no streams.
  BatchPrefetch(at::Device device, bool records_stream);

  /// The batch of this step: the one that start() was given, else a copy of `host`. Whatever is
  /// given to the current stream from now on finds it complete.
  Batch take(const Batch& host);
  /// Starts the copy of the next step's batch.
  void start(const Batch& host);
  /// The tensors of the batch that waits for its step.
  Tensors waiting() const;

 private:
  at::Tensor copied(const at::Tensor& host) const;

  at::Device device_;
  bool records_stream_;
  c10::Stream side_;
  c10::Event copied_;
  Batch next_;
};

}  // namespace highwater
