#include "harness/export/memory_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

Json frame(const char* what, const std::string& name, int line) {
  return {{"name", name}, {"filename", what}, {"line", line}};
}

Json frames_of(const AllocatorEvent& event) {
  Json frames = Json::array();
  if (!event.op.empty()) frames.push_back(frame("operator", event.op, 0));
  if (!event.module.empty()) frames.push_back(frame("module", event.module, 0));
  const std::string place =
      event.step == 0 ? "before the first step" : fmt::format("step {}", event.step);
  frames.push_back(
      frame("training", event.phase.empty() ? place : event.phase + " of " + place, event.step));
  return frames;
}

Json trace_entry(const AllocatorEvent& event) {
  // An "oom" has no address; in its place the viewer expects what the driver had left.
  return {{"action", event.action},
          {event.action == "oom" ? "device_free" : "addr", event.address},
          {"size", event.size},
          {"stream", event.stream},
          {"frames", frames_of(event)}};
}

bool has_segments(const std::vector<AllocatorEvent>& events) {
  return std::ranges::any_of(
      events, [](const AllocatorEvent& event) { return event.action.starts_with("segment_"); });
}

/// Events as the viewer wants them: it looks for the segment of each block. Where there are no
/// segments (cpu), each block brings its own and takes it along.
Json trace_of(const std::vector<AllocatorEvent>& events) {
  const bool own = !has_segments(events);
  Json trace = Json::array();
  for (const AllocatorEvent& event : events) {
    AllocatorEvent segment = event;
    segment.action = event.action == "alloc" ? "segment_alloc" : "segment_free";
    if (own && event.action == "alloc") trace.push_back(trace_entry(segment));
    trace.push_back(trace_entry(event));
    if (own && event.action == "free_completed") trace.push_back(trace_entry(segment));
  }
  return trace;
}

using Births = std::unordered_map<std::uint64_t, const AllocatorEvent*>;

/// The event that each block alive at the end was born in, by address.
Births births_of(const std::vector<AllocatorEvent>& events) {
  Births births;
  for (const AllocatorEvent& event : events) {
    if (event.action == "alloc") births[event.address] = &event;
    if (event.action == "free_completed") births.erase(event.address);
  }
  return births;
}

Json block_of(const SegmentBlock& block, const Births& births) {
  const auto birth = births.find(block.address);
  const bool known = block.state != "inactive" && birth != births.end();
  return {{"address", block.address},
          {"size", block.size},
          {"requested_size", block.requested},
          {"state", block.state},
          {"frames", known ? frames_of(*birth->second) : Json::array()}};
}

Json segment_of(const AllocatorSegment& segment, const Births& births) {
  Bytes allocated = 0;
  Bytes active = 0;
  Bytes requested = 0;
  Json blocks = Json::array();
  for (const SegmentBlock& block : segment.blocks) {
    if (block.state != "inactive") active += block.size;
    if (block.state == "active_allocated") {
      allocated += block.size;
      requested += block.requested;
    }
    blocks.push_back(block_of(block, births));
  }
  return {{"device", 0},
          {"address", segment.address},
          {"total_size", segment.size},
          {"allocated_size", allocated},
          {"active_size", active},
          {"requested_size", requested},
          {"stream", segment.stream},
          {"segment_type", segment.large ? "large" : "small"},
          {"segment_pool_id", {0, 0}},
          {"is_expandable", segment.expandable},
          {"frames", Json::array()},
          {"blocks", std::move(blocks)}};
}

}  // namespace

Json memory_snapshot(const std::string& cell, const EventStream& stream) {
  const Births births = births_of(stream.events);
  Json segments = Json::array();
  for (const AllocatorSegment& segment : stream.segments) {
    segments.push_back(segment_of(segment, births));
  }
  return {{"segments", std::move(segments)},
          {"device_traces", Json::array({trace_of(stream.events)})},
          {"allocator_settings", Json::object()},
          {"external_annotations", Json::array()},
          {"highwater", {{"cell", cell}}}};
}

}  // namespace highwater
