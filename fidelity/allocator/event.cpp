#include "fidelity/allocator/event.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace highwater::oracle {
namespace {

constexpr std::array<std::string_view, all_actions.size()> names = {
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "oom"};

}  // namespace

std::string_view name_of(Action action) { return names.at(static_cast<std::size_t>(action)); }

std::optional<Action> action_named(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return all_actions[static_cast<std::size_t>(found - names.begin())];
}

std::string to_text(const Event& event) {
  std::ostringstream text;
  text << name_of(event.action) << " of " << event.bytes << " bytes at 0x" << std::hex
       << event.address << " on stream 0x" << event.stream;
  return text.str();
}

}  // namespace highwater::oracle
