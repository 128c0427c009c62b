#include "harness/measure/allocation_recorder.hpp"

#include <algorithm>
#include <utility>

namespace highwater {

Bytes AllocationRecorder::current() const {
  const std::scoped_lock lock(mutex_);
  return current_;
}

Bytes AllocationRecorder::peak() const {
  const std::scoped_lock lock(mutex_);
  return peak_;
}

void AllocationRecorder::reset_peak() {
  const std::scoped_lock lock(mutex_);
  peak_ = current_;
}

std::optional<BlockId> AllocationRecorder::block_at(const void* address) const {
  const std::scoped_lock lock(mutex_);
  const auto block = alive_.find(address);
  return block == alive_.end() ? std::nullopt : std::optional(block->second.id);
}

std::unordered_map<BlockId, Bytes> AllocationRecorder::alive() const {
  const std::scoped_lock lock(mutex_);
  std::unordered_map<BlockId, Bytes> blocks;
  for (const auto& [address, block] : alive_) blocks.emplace(block.id, block.size);
  return blocks;
}

void AllocationRecorder::start_log() {
  AllocationLog log{.alive_at_start = alive(), .events = {}, .intervals = {{}}, .origins = {}};
  const std::scoped_lock lock(mutex_);
  for (const auto& [address, block] : alive_) log.origins.emplace(block.id, block.origin);
  log_ = std::move(log);
}

void AllocationRecorder::begin_interval(std::optional<Phase> phase) {
  const std::scoped_lock lock(mutex_);
  if (log_) log_->intervals.push_back({phase});
}

AllocationLog AllocationRecorder::stop_log() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(log_, std::nullopt).value();
}

void AllocationRecorder::reportMemoryUsage(void* address, std::int64_t size, std::size_t,
                                           std::size_t total_reserved, c10::Device device) {
  if (!hears(device) || size == 0) return;
  const std::scoped_lock lock(mutex_);
  reserved_ = static_cast<Bytes>(total_reserved);
  if (size > 0) {
    allocated(address, size);
  } else {
    freed(address);
  }
}

bool AllocationRecorder::hears(c10::Device device) const {
  return device.type() == device_.type() &&
         (!device_.has_index() || device.index() == device_.index());
}

void AllocationRecorder::allocated(void* address, Bytes size) {
  // A birth where something lives: its death was not heard (a thread of its own freed it).
  freed(address);
  const Block block{.id = next_++, .size = size, .origin = origin_ ? origin_() : Origin{}};
  alive_[address] = block;
  current_ += size;
  peak_ = std::max(peak_, current_);
  note(block, size);
}

void AllocationRecorder::freed(void* address) {
  const auto found = alive_.find(address);
  if (found == alive_.end()) return;
  const Block block = found->second;
  alive_.erase(found);
  current_ -= block.size;
  note(block, -block.size);
}

void AllocationRecorder::note(const Block& block, Bytes size) {
  if (!log_) return;
  log_->events.push_back({block.id, size, log_->intervals.size() - 1, reserved_});
  if (origin_) log_->origins.emplace(block.id, block.origin);
}

}  // namespace highwater
