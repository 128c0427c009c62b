#include <algorithm>

#include "simgpu/device/capture.hpp"
#include "simgpu/device/stream.hpp"
#include "simgpu/device/stream_books.hpp"
#include "simgpu/device/watchers.hpp"

namespace simgpu {
namespace {

constexpr float milliseconds_a_tick = 0.001f;

}  // namespace

Event* StreamBooks::find_event(EventHandle handle) {
  const auto found = events.find(handle);
  return found == events.end() ? nullptr : found->second.get();
}

EventHandle create_event(unsigned flags) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  auto event = std::make_unique<Event>();
  event->flags = flags;
  const EventHandle handle = event.get();
  books.events.emplace(handle, std::move(event));
  return handle;
}

cudaError_t destroy_event(EventHandle handle) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  watch_no_event(handle);
  return books.events.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t record_event(EventHandle event_handle, StreamHandle stream_handle, unsigned flags) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Event* const event = books.find_event(event_handle);
  Stream* const stream = books.find(stream_handle);
  if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) {
    if (!stream->capture->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (flags == cudaEventRecordExternal) {
      books.add_node(*stream, WorkKind::event, [] {});
      return cudaSuccess;
    }
    event->capture_id = stream->capture->id;
    event->captured_front = stream->front;
    return cudaSuccess;
  }
  if (stream->is_legacy && books.spoil_captures_of(stream->facts.device))
    return cudaErrorStreamCaptureImplicit;
  event->capture_id = 0;
  event->captured_front.clear();
  event->is_recorded = true;
  event->device = stream->facts.device;
  event->due = std::max(books.end_of(*stream), books.clock.now());
  event->polling = {};
  watch_recorded_event(event_handle, stream_handle, event->due);
  return cudaSuccess;
}

cudaError_t query_event(EventHandle handle) {
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return error;
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Event* const event = books.find_event(handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->capture_id != 0) return cudaErrorCapturedEvent;
  if (!books.is_done(event->due, event->polling)) return cudaErrorNotReady;
  if (!is_working_thread()) watch_seen_event(handle);
  return cudaSuccess;
}

cudaError_t wait_for_event(EventHandle handle) {
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return error;
  StreamBooks& books = stream_books();
  std::unique_lock lock(books.mutex);
  Event* const event = books.find_event(handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->capture_id != 0) return cudaErrorCapturedEvent;
  books.wait_until(event->due, event->device, lock);
  return cudaSuccess;
}

cudaError_t order_after_event(StreamHandle stream_handle, EventHandle event_handle,
                              unsigned flags) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Event* const event = books.find_event(event_handle);
  Stream* const stream = books.find(stream_handle);
  if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->capture_id != 0) return join_capture(*stream, *event);
  if (stream->capture != nullptr) {
    if (!stream->capture->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (flags == cudaEventWaitExternal) {
      books.add_node(*stream, WorkKind::event, [] {});
      return cudaSuccess;
    }
    if (!event->is_recorded) return cudaSuccess;
    stream->capture->is_valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  stream->end = std::max(stream->end, event->due);
  return cudaSuccess;
}

cudaError_t elapsed_milliseconds(float* milliseconds, EventHandle start_handle,
                                 EventHandle end_handle) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Event* const start = books.find_event(start_handle);
  Event* const end = books.find_event(end_handle);
  for (const Event* event : {start, end}) {
    if (event == nullptr || (event->flags & cudaEventDisableTiming) != 0 || !event->is_recorded)
      return cudaErrorInvalidResourceHandle;
    if (event->capture_id != 0) return cudaErrorCapturedEvent;
    if (event->due > books.clock.now()) return cudaErrorNotReady;
  }
  const auto ticks = static_cast<float>(end->due) - static_cast<float>(start->due);
  *milliseconds = (ticks == 0 ? 1 : ticks) * milliseconds_a_tick;
  return cudaSuccess;
}

}  // namespace simgpu
