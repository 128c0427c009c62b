#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Answers to device-to-host reads, read from a file (SIMGPU_READS). A line is
///
///   [OPERATOR] TYPE VALUE...      aten::_local_scalar_dense f32 2.5
///                                 u8 1
///
/// with TYPE one of u8, i32, i64, f32, f64; # starts a comment. The values fill the read and repeat
/// as often as they fit. Lines without an operator answer, one each and in order, the reads that no
/// named line answers; when they are used up, reads find zeros. Lines that name an operator answer
/// the reads made inside it, one each and in order; the last one repeats.
class SIMGPU_SHARED Answers {
 public:
  /// `origin` names the text in messages. Throws ConfigError with the number of a line that is not
  /// as above.
  Answers(std::string_view text, std::string origin);

  /// Writes the next answer for a read inside `operator_name` over all of `target`. Throws
  /// ConfigError if the answer's bytes do not divide the read's.
  void answer(std::string_view operator_name, std::span<unsigned char> target);

 private:
  struct Line {
    int number;
    std::vector<unsigned char> bytes;
  };
  struct Sequence {
    std::vector<Line> lines;
    std::size_t next = 0;
  };

  void read_line(std::string_view text, int number);
  const Line* next_line(std::string_view operator_name);

  std::string origin_;
  std::map<std::string, Sequence, std::less<>> sequences_;  // "" holds lines without an operator
};

}  // namespace simgpu
