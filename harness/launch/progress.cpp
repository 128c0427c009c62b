#include "harness/launch/progress.hpp"

#include <fmt/format.h>

#include <ostream>

namespace highwater {
namespace {

constexpr std::size_t kBarWidth = 24;
// A longer line would wrap, and only its last part would be redrawn.
constexpr std::size_t kLineWidth = 79;

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::ostream& stream, bool terminal, std::size_t cells)
    : stream_(stream), terminal_(terminal), cells_(cells) {}

void Progress::started(const std::string& cell) {
  const std::lock_guard lock(mutex_);
  if (terminal_) draw(cell);
}

void Progress::finished(const std::string& cell, const CellOutcome& outcome,
                        std::chrono::duration<double> wall) {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (outcome.kind != OutcomeKind::skipped) ++measured_;
  if (terminal_) {
    draw(cell);
    return;
  }
  stream_ << fmt::format("[{}/{}] {} {} {:.1f} s{}{}\n", done_, cells_, cell, to_text(outcome.kind),
                         wall.count(), outcome.reason.empty() ? "" : ": ", outcome.reason)
          << std::flush;
}

void Progress::warn(const std::string& message) {
  const std::lock_guard lock(mutex_);
  stream_ << (terminal_ ? "\r\033[K" : "") << "warning: " << message << "\n" << std::flush;
}

void Progress::close() {
  const std::lock_guard lock(mutex_);
  if (terminal_) stream_ << "\r\033[K" << std::flush;
}

void Progress::draw(const std::string& cell) {
  const std::size_t filled = cells_ == 0 ? kBarWidth : kBarWidth * done_ / cells_;
  const std::string line = fmt::format("[{:#<{}}{:.<{}}] {}/{} {} {}", "", filled, "",
                                       kBarWidth - filled, done_, cells_, time_left(), cell);
  stream_ << "\r\033[K" << line.substr(0, kLineWidth) << std::flush;
}

// Skipped cells take no time and say nothing about the others'.
std::string Progress::time_left() const {
  if (measured_ == 0) return "";
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
  const double each = gone.count() / static_cast<double>(measured_);
  return duration_text(each * static_cast<double>(cells_ - done_)) + " left,";
}

}  // namespace highwater
