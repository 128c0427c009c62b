#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fidelity/allocator/event.hpp"

namespace highwater::oracle {

/// Where two streams of events part. A missing side: that stream was over.
struct Difference {
  std::size_t index = 0;  ///< of the event in the expected stream, from 0
  std::optional<Event> expected;
  std::optional<Event> seen;
};

/// "event 17: expected alloc of ..., seen alloc of ..."
std::string to_text(const Difference& difference);

/// Compares call by call and counts on after the first difference.
class Comparison {
 public:
  /// The events of one call. The order of frees completed side by side is Torch's hash order and is
  /// not compared.
  void add(std::vector<Event> expected, std::vector<Event> seen);

  std::size_t events() const { return events_; }
  std::size_t mismatches() const { return mismatches_; }
  const std::optional<Difference>& first() const { return first_; }

 private:
  std::size_t events_ = 0;
  std::size_t mismatches_ = 0;
  std::optional<Difference> first_;
};

}  // namespace highwater::oracle
