#include "harness/launch/kept_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace highwater {

void KeptText::append(std::string_view text) {
  const std::string_view head = text.substr(0, most_first_ - first_.size());
  first_ += head;
  last_ += text.substr(head.size());
  if (last_.size() <= most_last_) return;
  const std::size_t excess = last_.size() - most_last_;
  last_.erase(0, excess);
  dropped_ += excess;
}

std::string KeptText::text() const {
  if (is_whole()) return first_ + last_;
  return fmt::format("{}\n[{} bytes left out]\n{}", first_, dropped_, last_);
}

}  // namespace highwater
