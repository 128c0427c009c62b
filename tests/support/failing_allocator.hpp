#pragma once

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <cstdint>

#include "harness/core/phase.hpp"

namespace highwater::testing_support {

/// While it lives, CPU memory comes from the usual allocator, but for those allocations of forward
/// and backward that a test chooses: they run out of memory.
class FailingAllocator final : public c10::Allocator, public PhaseObserver {
 public:
  enum class Error { typed, untyped };

  FailingAllocator() : usual_(c10::GetCPUAllocator()) { c10::SetCPUAllocator(this, kPriority); }
  ~FailingAllocator() override { c10::SetCPUAllocator(usual_, kPriority); }
  FailingAllocator(const FailingAllocator&) = delete;
  FailingAllocator& operator=(const FailingAllocator&) = delete;

  /// The allocation of this number from now on fails, once; 0 and negative ones never come.
  void fail_at(std::int64_t number) { left_ = number; }
  /// Each allocation of more bytes fails.
  void fail_above(std::size_t bytes) { largest_ = bytes; }
  void throws(Error error) { error_ = error; }
  std::int64_t failures() const { return failures_; }

  c10::DataPtr allocate(std::size_t bytes) override {
    const bool counts = armed_ && bytes > 0;
    if (counts && (--left_ == 0 || bytes > largest_)) fail();
    return usual_->allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return usual_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  void phase_begins(Phase phase) override {
    armed_ = phase == Phase::forward || phase == Phase::backward;
  }
  void phase_ends(Phase) override { armed_ = false; }

 private:
  static constexpr std::uint8_t kPriority = 100;

  void fail() {
    ++failures_;
    TORCH_CHECK(error_ == Error::typed, "DefaultCPUAllocator: can't allocate memory: on request");
    TORCH_CHECK_WITH(OutOfMemoryError, false, "out of memory on request");
  }

  c10::Allocator* usual_;
  bool armed_ = false;
  std::int64_t left_ = 0;
  std::size_t largest_ = SIZE_MAX;
  std::int64_t failures_ = 0;
  Error error_ = Error::typed;
};

}  // namespace highwater::testing_support
