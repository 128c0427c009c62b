#include "simgpu/device/capture.hpp"

#include <algorithm>
#include <utility>

#include "simgpu/device/stream_books.hpp"

namespace simgpu {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/// Whether `capture` forbids potentially unsafe calls to the calling thread.
bool forbids_unsafe_calls(const Capture& capture) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id())
    return capture.mode != cudaStreamCaptureModeRelaxed;
  return thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

template <class Predicate>
bool spoil_captures(StreamBooks& books, Predicate is_hit) {
  bool any = false;
  for (Capture& capture : books.captures) {
    if (!is_hit(capture)) continue;
    capture.is_valid = false;
    any = true;
  }
  return any;
}

/// Work in the legacy stream of the device would wait for a blocking stream of the capture.
bool is_waited_for_by_legacy(const Capture& capture, int device) {
  return std::ranges::any_of(capture.streams, [&](const Stream* stream) {
    return stream->is_blocking() && stream->facts.device == device;
  });
}

bool is_joined(const Capture& capture) {
  const auto ends_in_origin = [&](const Stream* stream) {
    return std::ranges::all_of(
        stream->front, [&](GraphNode* node) { return depends_on(capture.origin->front, node); });
  };
  return std::ranges::all_of(capture.streams, ends_in_origin);
}

cudaError_t reason_for_no_graph(const Capture& capture) {
  if (!capture.is_valid) return cudaErrorStreamCaptureInvalidated;
  return is_joined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

void close(StreamBooks& books, const Capture& capture) {
  for (Stream* stream : capture.streams) {
    stream->capture = nullptr;
    stream->front.clear();
  }
  const std::uint64_t id = capture.id;
  books.captures.remove_if([&](const Capture& other) { return other.id == id; });
  books.active_captures = static_cast<int>(books.captures.size());
}

}  // namespace

void StreamBooks::add_node(Stream& stream, WorkKind kind, std::function<void()> action) {
  auto& nodes = stream.capture->graph->nodes;
  nodes.push_back(std::make_unique<GraphNode>(GraphNode{kind, std::move(action), stream.front}));
  stream.front = {nodes.back().get()};
}

bool StreamBooks::spoil_captures_of(int device) {
  return spoil_captures(
      *this, [&](const Capture& capture) { return is_waited_for_by_legacy(capture, device); });
}

cudaError_t begin_capture(StreamHandle handle, cudaStreamCaptureMode mode) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Stream* const stream = books.find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->is_legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  stream->capture = &books.captures.emplace_back(Capture{.id = books.next_id++,
                                                         .graph = std::make_unique<Graph>(),
                                                         .origin = stream,
                                                         .mode = mode,
                                                         .thread = std::this_thread::get_id(),
                                                         .streams = {stream}});
  books.active_captures = static_cast<int>(books.captures.size());
  return cudaSuccess;
}

cudaError_t end_capture(StreamHandle handle, Graph** graph) {
  *graph = nullptr;
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Stream* const stream = books.find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  Capture* const capture = stream->capture;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  const cudaError_t error = reason_for_no_graph(*capture);
  if (error == cudaSuccess) *graph = capture->graph.release();
  close(books, *capture);
  return error;
}

cudaError_t capture_info(StreamHandle handle, CaptureInfo* info) {
  StreamBooks& books = stream_books();
  const std::lock_guard lock(books.mutex);
  Stream* const stream = books.find(handle);
  *info = {};
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  const auto is_in_the_way = [&](const Capture& capture) {
    return is_waited_for_by_legacy(capture, stream->facts.device);
  };
  if (stream->is_legacy && std::ranges::any_of(books.captures, is_in_the_way))
    return cudaErrorStreamCaptureImplicit;
  const Capture* const capture = stream->capture;
  if (capture == nullptr) return cudaSuccess;
  info->status =
      capture->is_valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
  info->id = capture->id;
  info->graph = capture->graph.get();
  info->dependencies = stream->front;
  return cudaSuccess;
}

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

cudaError_t check_unsafe_call() {
  StreamBooks& books = stream_books();
  if (books.active_captures.load() == 0) return cudaSuccess;
  const std::lock_guard lock(books.mutex);
  return spoil_captures(books, forbids_unsafe_calls) ? cudaErrorStreamCaptureUnsupported
                                                     : cudaSuccess;
}

cudaError_t refuse_captured(Stream& stream) {
  if (stream.capture == nullptr) return cudaSuccess;
  stream.capture->is_valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_captures_on(int device) {
  StreamBooks& books = stream_books();
  if (books.active_captures.load() == 0) return cudaSuccess;
  const std::lock_guard lock(books.mutex);
  const bool is_refused = spoil_captures(books, [&](const Capture& capture) {
    return std::ranges::any_of(
        capture.streams, [&](const Stream* stream) { return stream->facts.device == device; });
  });
  return is_refused ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t join_capture(Stream& stream, const Event& event) {
  StreamBooks& books = stream_books();
  const auto capture = std::ranges::find(books.captures, event.capture_id, &Capture::id);
  if (capture == books.captures.end()) return cudaErrorCapturedEvent;
  if (!capture->is_valid) return cudaErrorStreamCaptureInvalidated;
  if (stream.is_legacy) {
    capture->is_valid = false;
    return cudaErrorStreamCaptureImplicit;
  }
  if (stream.capture != nullptr && stream.capture != &*capture) {
    capture->is_valid = stream.capture->is_valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  stream.capture = &*capture;
  capture->streams.insert(&stream);
  for (GraphNode* node : event.captured_front)
    if (std::ranges::find(stream.front, node) == stream.front.end()) stream.front.push_back(node);
  return cudaSuccess;
}

cudaError_t launch_graph(const ExecutableGraph& graph, StreamHandle stream) {
  for (const auto& action : graph.actions)
    if (const cudaError_t error = enqueue(stream, WorkKind::graph, action); error != cudaSuccess)
      return error;
  return cudaSuccess;
}

}  // namespace simgpu
