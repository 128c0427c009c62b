#include "simgpu/device/clock.hpp"

#include <algorithm>
#include <atomic>

#include "simgpu/device/config.hpp"

namespace simgpu {
namespace {

thread_local std::uint64_t submissions = 0;

/// From 1: 0 is nobody.
std::uint64_t this_thread_number() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

Tick behind(Tick due, Tick depth) { return due > depth ? due - depth : 0; }

}  // namespace

void Clock::submitted(Tick due) {
  switch (config().event_timing) {
    case EventTiming::at_once:
      return wait_until(due);
    case EventTiming::queued:
      return wait_until(behind(due, queue_depth));
    case EventTiming::after_sync:
      return;
  }
}

void Clock::wait_until(Tick due) { now_ = std::max(now_, due); }

void Clock::asked() {
  if (config().event_timing == EventTiming::queued) ++now_;
}

bool Polling::ask() {
  const bool is_same = asker_ == this_thread_number() && asker_submissions_ == submissions;
  times_ = is_same ? times_ + 1 : 1;
  asker_ = this_thread_number();
  asker_submissions_ = submissions;
  return times_ > polling_patience;
}

void count_submission() { ++submissions; }

bool is_working_thread() { return submissions != 0; }

}  // namespace simgpu
