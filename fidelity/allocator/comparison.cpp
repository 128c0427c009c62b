#include "fidelity/allocator/comparison.hpp"

#include <algorithm>

namespace highwater::oracle {
namespace {

void sort_completed_runs(std::vector<Event>& events) {
  const auto is_completed = [](const Event& event) {
    return event.action == Action::free_completed;
  };
  for (auto begin = events.begin(); begin != events.end();) {
    begin = std::find_if(begin, events.end(), is_completed);
    const auto end = std::find_if_not(begin, events.end(), is_completed);
    std::sort(begin, end,
              [](const Event& left, const Event& right) { return left.address < right.address; });
    begin = end;
  }
}

std::optional<Event> at(const std::vector<Event>& events, std::size_t index) {
  return index < events.size() ? std::optional(events[index]) : std::nullopt;
}

std::string side(const std::optional<Event>& event) {
  return event ? to_text(*event) : "nothing more in this call";
}

}  // namespace

std::string to_text(const Difference& difference) {
  return "event " + std::to_string(difference.index) + ": expected " + side(difference.expected) +
         ", seen " + side(difference.seen);
}

void Comparison::add(std::vector<Event> expected, std::vector<Event> seen) {
  sort_completed_runs(expected);
  sort_completed_runs(seen);
  for (std::size_t index = 0; index < std::max(expected.size(), seen.size()); ++index) {
    if (at(expected, index) == at(seen, index)) continue;
    ++mismatches_;
    if (!first_) first_ = Difference{events_ + index, at(expected, index), at(seen, index)};
  }
  events_ += expected.size();
}

}  // namespace highwater::oracle
