#pragma once

#include <memory>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/workload/segment.hpp"

namespace c10d {
class Reducer;
}

namespace highwater {

/// Gradients averaged in buckets as torch.nn.parallel.DistributedDataParallel does it: LibTorch's
/// own c10d::Reducer over a group of one process, which has nothing to exchange. All memory of a
/// rank is there: buckets of 25 MiB, the first of 1 MiB (torch's defaults), assigned again after
/// the first backward in the order in which gradients came.
class GradientBuckets {
 public:
  /// @param views whether gradients are views of the buckets instead of being copied to and fro.
  GradientBuckets(const Tensors& parameters, bool views);
  ~GradientBuckets();

  void before_forward();
  /// The next backward completes gradients; without this call it only accumulates them (no_sync).
  void before_last_backward();

  /// The buckets as they are now.
  Tensors tensors() const;
  /// Of all of them.
  Bytes bytes() const;

 private:
  std::shared_ptr<c10d::Reducer> reducer_;
};

}  // namespace highwater
