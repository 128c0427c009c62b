#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace highwater {

using Tensors = std::vector<at::Tensor>;

/// What one step is trained on. Dimension 0 of every tensor is the sample.
struct Batch {
  Tensors inputs;
  at::Tensor targets;

  std::int64_t size() const { return targets.size(0); }

  /// Views of consecutive samples, as equal as they can be: sizes differ by at most one, larger
  /// ones first. Never more parts than samples. No memory is copied.
  std::vector<Batch> split(std::int64_t parts) const;
};

/// Samples of the last, smallest, of the parts that Batch::split makes.
std::int64_t size_of_last_part(std::int64_t size, std::int64_t parts);

/// Random token ids, and as many targets: int64 [batch, context] each.
Batch token_batch(std::int64_t vocabulary, std::int64_t batch, std::int64_t context,
                  at::Device device);

/// Normal noise of a shape whose first dimension is the sample, and a class for each sample.
Batch classification_batch(at::IntArrayRef shape, std::int64_t classes, at::Device device);

}  // namespace highwater
