#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "simgpu/device/clock.hpp"
#include "simgpu/device/graph.hpp"
#include "simgpu/device/stream.hpp"

namespace simgpu {

/// What stream.cpp, event.cpp and capture.cpp keep, behind one lock. Private to them.

struct Capture;

struct Stream {
  StreamFacts facts;
  bool is_legacy = false;  ///< a device's null stream
  Tick end = 0;            ///< when everything put in so far is done
  Polling polling;
  Capture* capture = nullptr;
  std::vector<GraphNode*> front = {};  ///< what the next captured piece of work depends on

  bool is_blocking() const { return !is_legacy && (facts.flags & cudaStreamNonBlocking) == 0; }
};

struct Event {
  unsigned flags;
  bool is_recorded = false;
  int device = 0;  ///< that of the stream it was last recorded in
  Tick due = 0;
  Polling polling;
  std::uint64_t capture_id = 0;  ///< of the capture it was last recorded in; 0 is none
  std::vector<GraphNode*> captured_front = {};
};

struct Capture {
  std::uint64_t id;
  std::unique_ptr<Graph> graph;
  Stream* origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool is_valid = true;
  std::set<Stream*> streams;  ///< `origin` and those that joined it
};

struct StreamBooks {
  std::mutex mutex;
  Clock clock;
  std::unordered_map<StreamHandle, std::unique_ptr<Stream>> streams;
  std::unordered_map<EventHandle, std::unique_ptr<Event>> events;
  std::map<int, Stream> legacy_streams;  ///< by device
  std::map<std::pair<int, std::thread::id>, Stream> thread_streams;
  std::list<Capture> captures;
  std::atomic<int> active_captures{0};
  std::uint64_t next_id = 1;

  /// Null for a handle of no live stream.
  Stream* find(StreamHandle handle);
  Stream& legacy_stream(int device);
  Event* find_event(EventHandle handle);

  /// When everything is done that work put into `stream` now would wait for.
  Tick end_of(const Stream& stream);

  /// Whether work due at `due` is done, as the calling thread may know (clock.hpp).
  bool is_done(Tick due, Polling& polling);

  /// The host waits for what is due on `device` at `due`. Gives `lock`, which holds `mutex`, back.
  void wait_until(Tick due, int device, std::unique_lock<std::mutex>& lock);

  /// Adds a node to the capture of `stream`, which has one.
  void add_node(Stream& stream, WorkKind kind, std::function<void()> action);

  /// Invalidates the captures of blocking streams of the device that a use of its legacy stream
  /// would wait for. True if there are any.
  bool spoil_captures_of(int device);
};

/// Never destroyed: Torch's static destructors still record and query.
StreamBooks& stream_books();

}  // namespace simgpu
