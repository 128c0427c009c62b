#include "simgpu/device/watchers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace simgpu {
namespace {

using namespace std::chrono_literals;

/// Three rounds of the watchdog.
constexpr auto patience = 300ms;
/// From the question to the end of what the watchdog does about the answer.
constexpr auto grace = 20ms;
/// As many vain waits in a row mean that nobody watches.
constexpr int vain_waits = 3;
constexpr Tick none = std::numeric_limits<Tick>::max();

struct Watched {
  EventHandle event;
  Tick due;
};

struct Watch {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Watched> unseen;
  std::atomic<Tick> oldest{none};
  int waits_in_vain = 0;

  /// To be called under the lock after every change of `unseen`.
  void update() {
    Tick due = none;
    for (const Watched& watched : unseen) due = std::min(due, watched.due);
    oldest = due;
    changed.notify_all();
  }

  void forget(EventHandle event) {
    if (std::erase_if(unseen, [&](const Watched& watched) { return watched.event == event; }))
      update();
  }
};

/// Never destroyed: Torch's static destructors still destroy events.
Watch& watch() {
  static Watch& instance = *new Watch;
  return instance;
}

thread_local std::optional<StreamHandle> awaits_event;

}  // namespace

void watch_collective(StreamHandle stream) { awaits_event = stream; }

void watch_recorded_event(EventHandle event, StreamHandle stream, Tick due) {
  watch_no_event(event);
  if (awaits_event != stream) return;
  awaits_event.reset();
  const std::lock_guard lock(watch().mutex);
  if (watch().waits_in_vain >= vain_waits) return;
  watch().unseen.push_back({event, due});
  watch().update();
}

void watch_seen_event(EventHandle event) {
  const std::lock_guard lock(watch().mutex);
  watch().waits_in_vain = 0;
  watch().forget(event);
}

void watch_no_event(EventHandle event) {
  if (watch().oldest == none) return;
  const std::lock_guard lock(watch().mutex);
  watch().forget(event);
}

void linger_for_watchers(Tick due) {
  if (watch().oldest > due) return;
  {
    std::unique_lock lock(watch().mutex);
    const auto all_seen = [&] { return watch().oldest > due; };
    if (!watch().changed.wait_for(lock, patience, all_seen)) {
      ++watch().waits_in_vain;
      std::erase_if(watch().unseen, [&](const Watched& watched) { return watched.due <= due; });
      watch().update();
      return;
    }
  }
  std::this_thread::sleep_for(grace);
}

void linger_behind(Tick now) {
  if (now > queue_depth) linger_for_watchers(now - queue_depth);
}

}  // namespace simgpu
