#include "harness/measure/allocation_log.hpp"

#include <algorithm>

namespace highwater {
namespace {

struct Life {
  Bytes size = 0;
  std::optional<std::size_t> born;  ///< interval; absent: before the step
  std::optional<std::size_t> died;  ///< interval; absent: after the step
};

std::unordered_map<BlockId, Life> lives(const AllocationLog& log) {
  std::unordered_map<BlockId, Life> lives;
  for (const auto& [block, size] : log.alive_at_start) lives[block].size = size;
  for (const BlockEvent& event : log.events) {
    if (event.size > 0) {
      lives[event.block] = {.size = event.size, .born = event.interval, .died = {}};
    } else {
      lives[event.block].died = event.interval;
    }
  }
  return lives;
}

std::optional<Phase> birth_phase(const Life& life, const AllocationLog& log) {
  return life.born ? log.intervals[*life.born].phase : std::nullopt;
}

Bytes bytes_at_start(const AllocationLog& log) {
  Bytes bytes = 0;
  for (const auto& [block, size] : log.alive_at_start) bytes += size;
  return bytes;
}

Category classify(const Life& life, const AllocationLog& log) {
  if (!life.born || !life.died) return Category::unattributed;
  const bool outlives_forward =
      log.intervals[*life.born].phase == Phase::forward && life.died != life.born;
  return outlives_forward ? Category::saved_activations : Category::temporaries;
}

}  // namespace

PeakAttribution attribute_peak(const AllocationLog& log,
                               const std::unordered_map<BlockId, Category>& known) {
  PeakAttribution result;
  Bytes alive = bytes_at_start(log);
  result.peak = alive;
  std::size_t events_to_peak = 0;
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    alive += log.events[i].size;
    if (alive <= result.peak) continue;
    result.peak = alive;
    events_to_peak = i + 1;
    result.phase = log.intervals[log.events[i].interval].phase;
    result.reserved = log.events[i].reserved;
  }

  auto at_peak = log.alive_at_start;
  for (std::size_t i = 0; i < events_to_peak; ++i) {
    const BlockEvent& event = log.events[i];
    if (event.size > 0) {
      at_peak[event.block] = event.size;
    } else {
      at_peak.erase(event.block);
    }
  }
  const auto life_of = lives(log);
  for (const auto& [block, size] : at_peak) {
    const auto named = known.find(block);
    const Category category =
        named != known.end() ? named->second : classify(life_of.at(block), log);
    result.by_category[static_cast<std::size_t>(category)] += size;
    result.blocks.push_back({block, size, category, birth_phase(life_of.at(block), log)});
  }
  std::ranges::sort(result.blocks, {}, &BlockAtPeak::block);
  return result;
}

std::array<Bytes, kPhaseNames.size()> phase_peaks(const AllocationLog& log) {
  std::array<Bytes, kPhaseNames.size()> peaks{};
  Bytes alive = bytes_at_start(log);
  auto event = log.events.begin();
  for (std::size_t i = 0; i < log.intervals.size(); ++i) {
    Bytes highest = alive;
    for (; event != log.events.end() && event->interval == i; ++event) {
      alive += event->size;
      highest = std::max(highest, alive);
    }
    if (const auto& phase = log.intervals[i].phase) {
      Bytes& peak = peaks[static_cast<std::size_t>(*phase)];
      peak = std::max(peak, highest);
    }
  }
  return peaks;
}

}  // namespace highwater
