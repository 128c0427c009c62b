#pragma once

#include <ATen/autocast_mode.h>

namespace highwater {

/// Autocast for one device type on this thread, as a state to take along to another thread.
struct AutocastState {
  at::DeviceType device_type = at::kCPU;
  bool enabled = false;
  at::ScalarType dtype = at::kHalf;
  bool cache_enabled = true;

  static AutocastState current(at::DeviceType device_type);
};

/// Holds an autocast state for its lifetime. LibTorch has the switches but ships no guard.
/// The outermost guard of a thread clears the process-wide cache of cast weights when it ends:
/// without that, the next region trains on the weights of the step before (loss at step 3 was 6.702
/// instead of 6.548 in one trial).
class AutocastGuard {
 public:
  explicit AutocastGuard(const AutocastState& state);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  AutocastState before_;
};

}  // namespace highwater
