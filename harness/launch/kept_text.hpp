#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace highwater {

/// The first and the last bytes of a text of any length: how a process began and its last words.
/// What lies between is counted and dropped, so that a flood does not grow whoever listens.
class KeptText {
 public:
  KeptText(std::size_t first, std::size_t last) : most_first_(first), most_last_(last) {}

  void append(std::string_view text);
  /// What was kept; where something was dropped, a line between the parts says how much.
  std::string text() const;
  bool is_whole() const { return dropped_ == 0; }

 private:
  std::size_t most_first_;
  std::size_t most_last_;
  std::string first_;
  std::string last_;
  std::size_t dropped_ = 0;
};

}  // namespace highwater
