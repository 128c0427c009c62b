#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace highwater::oracle {

using Address = std::uint64_t;
using Bytes = std::uint64_t;
/// The number behind a cudaStream_t; 0 is the default stream. Torch orders streams by it.
using Stream = std::uint64_t;

/// What an allocator reports, in the words of Torch's memory history.
enum class Action {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  oom,
};

inline constexpr std::array all_actions = {
    Action::alloc,        Action::free_requested, Action::free_completed, Action::segment_alloc,
    Action::segment_free, Action::segment_map,    Action::segment_unmap,  Action::oom};

std::string_view name_of(Action action);
std::optional<Action> action_named(std::string_view name);

/// `bytes` is what was asked for in alloc and free_*, the segment's or range's size in segment_*,
/// and the rounded size that could not be had in oom, which has no address.
struct Event {
  Action action = Action::alloc;
  Address address = 0;
  Bytes bytes = 0;
  Stream stream = 0;

  bool operator==(const Event&) const = default;
};

/// "alloc of 512 bytes at 0x7f0000000000 on stream 0"
std::string to_text(const Event& event);

}  // namespace highwater::oracle
