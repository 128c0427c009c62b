#pragma once

#include <cstdint>

#include <ATen/ATen.h>

namespace highwater {

/// State of the default generators that a computation on `device` may draw from: the CPU's, and the
/// device's own. On CPU the state is a counted tensor of kCpuBytes; a CUDA generator's lies on the
/// host.
class RandomState {
 public:
  static constexpr std::int64_t kCpuBytes = 5056;

  static RandomState current(at::Device device);
  void restore() const;

 private:
  at::Device device_ = at::kCPU;
  at::Tensor cpu_;
  at::Tensor accelerator_;
};

/// Puts the state it found back when it ends.
class RandomStateGuard {
 public:
  explicit RandomStateGuard(at::Device device) : before_(RandomState::current(device)) {}
  ~RandomStateGuard() { before_.restore(); }
  RandomStateGuard(const RandomStateGuard&) = delete;
  RandomStateGuard& operator=(const RandomStateGuard&) = delete;

 private:
  RandomState before_;
};

/// Seeds the default generators of the host and of `device`.
void seed_generators(at::Device device, std::uint64_t seed);

}  // namespace highwater
