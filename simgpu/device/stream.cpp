#include "simgpu/device/stream.hpp"

#include <algorithm>

#include "simgpu/device/capture.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/pool.hpp"
#include "simgpu/device/stream_books.hpp"
#include "simgpu/device/watchers.hpp"

namespace simgpu {

StreamBooks& stream_books() {
  static StreamBooks& instance = *new StreamBooks;
  return instance;
}

Stream& StreamBooks::legacy_stream(int device) {
  Stream& stream = legacy_streams[device];
  stream.is_legacy = true;
  stream.facts.device = device;
  return stream;
}

Stream* StreamBooks::find(StreamHandle handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &legacy_stream(current_device());
  if (handle == cudaStreamPerThread) {
    Stream& stream = thread_streams[{current_device(), std::this_thread::get_id()}];
    stream.facts.device = current_device();
    return &stream;
  }
  const auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second.get();
}

Tick StreamBooks::end_of(const Stream& stream) {
  if (stream.is_blocking()) return std::max(stream.end, legacy_stream(stream.facts.device).end);
  Tick end = stream.end;
  if (!stream.is_legacy) return end;
  const auto include = [&](const Stream& other) {
    if (other.is_blocking() && other.facts.device == stream.facts.device)
      end = std::max(end, other.end);
  };
  for (const auto& [handle, other] : streams) include(*other);
  for (const auto& [key, other] : thread_streams) include(other);
  return end;
}

bool StreamBooks::is_done(Tick due, Polling& polling) {
  if (due <= clock.now()) return true;
  const bool is_impatient = polling.ask();
  if (!is_working_thread()) return is_impatient;
  if (is_impatient)
    clock.wait_until(due);
  else
    clock.asked();
  return due <= clock.now();
}

void StreamBooks::wait_until(Tick due, int device, std::unique_lock<std::mutex>& lock) {
  clock.wait_until(due);
  const Tick now = clock.now();
  lock.unlock();
  linger_for_watchers(now);
  pool_meets_synchronization(device);
}

StreamHandle create_stream(unsigned flags, int priority) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  auto stream = std::make_unique<Stream>();
  stream->facts = {books.next_id++, current_device(), flags, priority};
  const StreamHandle handle = stream.get();
  books.streams.emplace(handle, std::move(stream));
  return handle;
}

cudaError_t destroy_stream(StreamHandle handle) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  const auto found = books.streams.find(handle);
  if (found == books.streams.end()) return cudaErrorInvalidResourceHandle;
  if (found->second->capture != nullptr) return cudaErrorStreamCaptureUnsupported;
  books.streams.erase(found);
  return cudaSuccess;
}

std::optional<StreamFacts> find_stream(StreamHandle handle) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  const Stream* stream = books.find(handle);
  return stream ? std::optional(stream->facts) : std::nullopt;
}

cudaError_t enqueue(StreamHandle handle, WorkKind kind, std::function<void()> action) {
  StreamBooks& books = stream_books();
  Tick now;
  {
    const std::lock_guard lock(books.mutex);
    Stream* const stream = books.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture != nullptr) {
      if (!stream->capture->is_valid) return cudaErrorStreamCaptureInvalidated;
      books.add_node(*stream, kind, std::move(action));
      return cudaSuccess;
    }
    if (stream->is_legacy && books.spoil_captures_of(stream->facts.device))
      return cudaErrorStreamCaptureImplicit;
    count_submission();
    stream->end = std::max(books.end_of(*stream), books.clock.now()) + 1;
    books.clock.submitted(stream->end);
    now = books.clock.now();
  }
  action();
  linger_behind(now);
  return cudaSuccess;
}

cudaError_t wait_for_stream(StreamHandle handle) {
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return error;
  StreamBooks& books = stream_books();
  std::unique_lock lock(books.mutex);
  Stream* const stream = books.find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = refuse_captured(*stream); error != cudaSuccess) return error;
  books.wait_until(books.end_of(*stream), stream->facts.device, lock);
  return cudaSuccess;
}

cudaError_t query_stream(StreamHandle handle) {
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return error;
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Stream* const stream = books.find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = refuse_captured(*stream); error != cudaSuccess) return error;
  return books.is_done(books.end_of(*stream), stream->polling) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t wait_for_device(int device) {
  if (const cudaError_t error = refuse_captures_on(device); error != cudaSuccess) return error;
  StreamBooks& books = stream_books();
  std::unique_lock lock(books.mutex);
  Tick end = books.legacy_stream(device).end;
  const auto include = [&](const Stream& stream) {
    if (stream.facts.device == device) end = std::max(end, stream.end);
  };
  for (const auto& [handle, stream] : books.streams) include(*stream);
  for (const auto& [key, stream] : books.thread_streams) include(stream);
  books.wait_until(end, device, lock);
  return cudaSuccess;
}

}  // namespace simgpu
