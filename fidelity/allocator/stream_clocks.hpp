#pragma once

#include <cstdint>
#include <map>

#include "fidelity/allocator/driver.hpp"

namespace highwater::oracle {

/// When the work of each stream is done: only when somebody says so. One instance stands behind the
/// oracle's driver and one behind the CUDA events of the Torch it is compared with, so both see
/// every event end at the same step of a program.
class StreamClocks {
 public:
  Mark record(Stream stream) { return {stream, ++submitted_[stream]}; }
  bool is_done(const Mark& mark) { return done_[mark.stream] >= mark.number; }
  void wait(const Mark& mark) {
    if (!is_done(mark)) done_[mark.stream] = mark.number;
  }
  /// All that was submitted to the stream is done.
  void finish(Stream stream) { done_[stream] = submitted_[stream]; }

 private:
  std::map<Stream, std::uint64_t> submitted_;
  std::map<Stream, std::uint64_t> done_;
};

}  // namespace highwater::oracle
