#include "harness/workload/batch.hpp"

#include <algorithm>

namespace highwater {

std::vector<Batch> Batch::split(std::int64_t parts) const {
  parts = std::clamp<std::int64_t>(parts, 1, size());
  std::vector<Batch> micro_batches;
  for (std::int64_t part = 0, start = 0; part < parts; ++part) {
    const std::int64_t length = size() / parts + (part < size() % parts ? 1 : 0);
    Batch micro;
    for (const at::Tensor& input : inputs) micro.inputs.push_back(input.narrow(0, start, length));
    micro.targets = targets.narrow(0, start, length);
    micro_batches.push_back(std::move(micro));
    start += length;
  }
  return micro_batches;
}

std::int64_t size_of_last_part(std::int64_t size, std::int64_t parts) {
  return size / std::clamp<std::int64_t>(parts, 1, size);
}

Batch token_batch(std::int64_t vocabulary, std::int64_t batch, std::int64_t context,
                  at::Device device) {
  const auto ids = [&] {
    return at::randint(vocabulary, {batch, context}, at::device(device).dtype(at::kLong));
  };
  return {.inputs = {ids()}, .targets = ids()};
}

Batch classification_batch(at::IntArrayRef shape, std::int64_t classes, at::Device device) {
  return {.inputs = {at::randn(shape, at::device(device))},
          .targets = at::randint(classes, {shape.at(0)}, at::device(device).dtype(at::kLong))};
}

}  // namespace highwater
