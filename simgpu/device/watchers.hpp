#pragma once

#include "simgpu/device/clock.hpp"
#include "simgpu/device/export.hpp"
#include "simgpu/device/stream.hpp"

namespace simgpu {

/// Torch's watchdog of collectives is a thread that asks every 100 ms of wall time which of them
/// are done, and lets go of their memory only then. A step on a card lasts longer than that; here
/// it lasts milliseconds, and memory would be held that a card has free (a small DDP step: 10 % of
/// the peak, and not the same twice). So the host lingers until such a thread has seen the
/// collectives done: where it waits for the device anyhow, and where the device has gone on by a
/// full queue (clock.hpp). A process without a watching thread lingers a few times and then never
/// again.
///
/// All functions are thread-safe. None may be called under the lock of stream_books.hpp but
/// `watch_recorded_event`, `watch_seen_event` and `watch_no_event`.

/// The calling thread put a collective into `stream`: the next event it records there tells when it
/// is done.
SIMGPU_SHARED void watch_collective(StreamHandle stream);

void watch_recorded_event(EventHandle event, StreamHandle stream, Tick due);

/// A thread that only watches (clock.hpp) was told that `event` is done.
void watch_seen_event(EventHandle event);

/// The event is gone, and whoever would have asked for it with it.
void watch_no_event(EventHandle event);

/// Lingers until every collective due at or before `due` was seen done, at most some tenths of a
/// second. Returns at once where there is none.
void linger_for_watchers(Tick due);

/// As `linger_for_watchers` for what a full queue has passed at `now`.
void linger_behind(Tick now);

}  // namespace simgpu
