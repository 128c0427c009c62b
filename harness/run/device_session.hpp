#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>

#include "harness/core/testbed.hpp"
#include "harness/measure/memory_meter.hpp"
#include "harness/run/outcome.hpp"

namespace highwater {

/// One opened device of this process, set up the same way for every cell: one host thread,
/// attention and cuDNN choices pinned, so that the bytes do not depend on the machine.
class DeviceSession {
 public:
  /// @param name "cuda", "sim:<profile>" or "cpu".
  /// @param allocator_settings of the caching allocator, as PYTORCH_ALLOC_CONF takes them, instead
  /// of those of the environment; empty leaves these. Nothing may have been allocated before.
  /// @throws Error(usage) where no such device is there.
  explicit DeviceSession(const std::string& name, const std::string& allocator_settings = "");

  at::Device device() const { return device_; }
  bool is_cpu() const { return device_.is_cpu(); }
  /// Whether a clock on this device means anything: not on a simulated GPU.
  bool has_time() const { return kind_ != "sim"; }

  std::unique_ptr<MemoryMeter> meter(AllocationRecorder& recorder) const;
  /// Of the second device, where a plan uses several; null on the cpu and for one device.
  std::unique_ptr<MemoryMeter> second_meter(std::int64_t devices) const;
  /// Devices of this kind that a plan may use; on the cpu as many as it likes.
  std::int64_t devices_for(std::int64_t wanted) const;
  void synchronize() const;
  /// Gives cuBLAS workspaces and cached blocks back; nothing on cpu.
  void release_caches() const;
  void clear_workspaces() const;

  /// How well the bytes measured in this process so far are known: one end of two is "bounded".
  Certainty certainty() const;

  /// What must be equal for two numbers to be comparable.
  Testbed testbed() const;

 private:
  std::string name_;
  std::string kind_;
  at::Device device_;
};

}  // namespace highwater
