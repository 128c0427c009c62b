#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>

#include "harness/run/outcome.hpp"

namespace highwater {

/// Tells a person how far a run is. On a terminal one line that is redrawn: a bar, cells done, time
/// left, the current cell. Elsewhere one plain line per finished cell. Safe to call from any
/// thread.
class Progress {
 public:
  /// @param cells how many will finish, skipped ones included.
  Progress(std::ostream& stream, bool terminal, std::size_t cells);

  void started(const std::string& cell);
  void finished(const std::string& cell, const CellOutcome& outcome,
                std::chrono::duration<double> wall);
  /// A line of its own: "warning: message".
  void warn(const std::string& message);
  /// Leaves the terminal on a fresh line.
  void close();

 private:
  void draw(const std::string& cell);
  std::string time_left() const;

  std::ostream& stream_;
  const bool terminal_;
  const std::size_t cells_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t measured_ = 0;
};

}  // namespace highwater
