#pragma once

#include <cstdint>

namespace simgpu {

/// Time as the simulated devices have it: no seconds, only the order in which work is done. A tick
/// is one piece of work (kernel, copy, fill, library routine); every piece takes one, streams run
/// side by side.
using Tick = std::uint64_t;

/// How often in a row a thread may ask whether the same work is done, putting in no work of its own
/// in between, before that counts as waiting for it: loops that poll end.
constexpr int polling_patience = 32;

/// Pieces of work that a device may be behind the host (SIMGPU_EVENTS=queued). The driver's launch
/// queue is not documented; about 1,024 launches are reported to fit before a launch blocks.
constexpr Tick queue_depth = 1024;

/// The clock of all devices. What is due at or before `now` is done; the host moves it on, so the
/// same calls in the same order give the same answers. SIMGPU_EVENTS (config.hpp) says how:
///
///   at-once     work is done when it is put in
///   queued      work is done when the host waits for it, when the device would fall more than
///               `queue_depth` behind, and a tick of it with every question whether work is done
///   after-sync  work is done when the host waits for it
///
/// Not thread-safe: stream_books.hpp has the lock.
class Clock {
 public:
  Tick now() const { return now_; }

  /// Work that is due at `due` was put in.
  void submitted(Tick due);

  /// The host waits for what is due at `due`.
  void wait_until(Tick due);

  /// A thread that puts in work asks for something that is not done.
  void asked();

 private:
  Tick now_ = 0;
};

/// The questions after one event or stream.
class Polling {
 public:
  /// The calling thread asks again. True if it has run out of patience.
  bool ask();

 private:
  std::uint64_t asker_ = 0;
  std::uint64_t asker_submissions_ = 0;
  int times_ = 0;
};

/// The calling thread put in work.
void count_submission();

/// Whether the calling thread ever put in work. One that did not only watches (as the watchdogs of
/// collectives do, by wall time): it is told that work is done once it runs out of patience, but it
/// does not move the clock, so that it changes nothing for the others.
bool is_working_thread();

}  // namespace simgpu
