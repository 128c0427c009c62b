#include "simgpu/device/report.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>

#include "simgpu/device/probe.hpp"
#include "simgpu/device/profile.hpp"
#include "simgpu/device/report_file.hpp"

namespace simgpu {
namespace {

using LiveBlocks = std::multiset<std::uint64_t, std::greater<>>;

struct Books {
  std::mutex mutex;
  std::atomic<ReportPage*> page{nullptr};
  std::array<LiveBlocks, ReportPage::most_devices> blocks;  ///< sizes of what is taken
};

/// Never destroyed: Torch's static destructors still free memory.
Books& books() {
  static Books& instance = *new Books;
  return instance;
}

// The parent's page stays the parent's. Blocks that it took are not the child's.
void start_anew_in_child() {
  Books& own = books();
  new (&own.mutex) std::mutex;
  own.page.store(nullptr);
  for (LiveBlocks& blocks : own.blocks) blocks.clear();
}

ReportPage& open_page() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, &start_anew_in_child);
  (void)registered;
  static std::mutex opening;
  const std::lock_guard lock(opening);
  if (books().page.load() == nullptr) books().page.store(open_report_page());
  return *books().page.load();
}

ReportPage& page() {
  ReportPage* const opened = books().page.load(std::memory_order_acquire);
  return opened != nullptr ? *opened : open_page();
}

ReportPage::Device& row_of(int device) {
  ReportPage::Device& row = page().devices[device];
  if (row.used == 0) {
    row.used = 1;
    row.capacity = static_cast<std::uint64_t>(profile().total_memory_bytes);
    row.context = static_cast<std::uint64_t>(profile().context_bytes);
  }
  return row;
}

void keep_blocks_at_peak(ReportPage::Device& row, const LiveBlocks& live) {
  row.block_count = live.size();
  std::fill(std::begin(row.blocks), std::end(row.blocks), 0);
  const auto kept = std::min(live.size(), ReportPage::most_blocks);
  std::copy_n(live.begin(), kept, row.blocks);
}

void add_one(std::uint64_t& counter) {
  std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

void copy_text(char* place, std::size_t room, const char* text) {
  std::strncpy(place, text, room - 1);
  place[room - 1] = '\0';
}

/// The note of this kind and text, a fresh one where there is none, nullptr where all are taken.
ReportPage::Note* find_note(ReportPage& page, const ReportPage::Note& wanted) {
  ReportPage::Note* const end = page.notes + page.note_count;
  ReportPage::Note* const found = std::find_if(page.notes, end, [&](const auto& note) {
    return std::strcmp(note.kind, wanted.kind) == 0 && std::strcmp(note.text, wanted.text) == 0;
  });
  if (found != end) return found;
  if (page.note_count == ReportPage::most_notes) return nullptr;
  *found = wanted;
  ++page.note_count;
  return found;
}

void keep_higher_peak(ReportPage::Level& fresh, const ReportPage::Level& before) {
  fresh.peak = std::max(fresh.peak, before.peak);
}

}  // namespace

void report_taken(int device, std::uint64_t bytes, std::uint64_t reserved) {
  {
    const std::lock_guard lock(books().mutex);
    ReportPage::Device& row = row_of(device);
    LiveBlocks& live = books().blocks[static_cast<std::size_t>(device)];
    live.insert(bytes);
    ++row.mallocs;
    row.reserved.now = reserved;
    if (reserved > row.reserved.peak) {
      row.reserved.peak = reserved;
      keep_blocks_at_peak(row, live);
    }
  }
  start_probe();
}

void report_given_back(int device, std::uint64_t bytes, std::uint64_t reserved) {
  const std::lock_guard lock(books().mutex);
  ReportPage::Device& row = row_of(device);
  LiveBlocks& live = books().blocks[static_cast<std::size_t>(device)];
  if (const auto found = live.find(bytes); found != live.end()) live.erase(found);
  ++row.frees;
  row.reserved.now = reserved;
}

void report_refused(int device, std::uint64_t bytes) {
  {
    const std::lock_guard lock(books().mutex);
    ReportPage::Device& row = row_of(device);
    ++row.failed_mallocs;
    row.largest_failed = std::max(row.largest_failed, bytes);
  }
  start_probe();
}

void report_launch() { add_one(page().launches); }

void report_library_call() { add_one(page().library_calls); }

std::uint64_t reported_launches() { return std::atomic_ref(page().launches).load(); }

std::uint64_t reported_library_calls() { return std::atomic_ref(page().library_calls).load(); }

void report_torch(int device, const ReportPage::Torch& statistics) {
  const std::lock_guard lock(books().mutex);
  ReportPage::Torch fresh = statistics;
  ReportPage::Torch& kept = row_of(device).torch;
  keep_higher_peak(fresh.requested, kept.requested);
  keep_higher_peak(fresh.allocated, kept.allocated);
  keep_higher_peak(fresh.reserved, kept.reserved);
  kept = fresh;
}

void report_note(const char* kind, const char* text) {
  ReportPage::Note wanted{};
  copy_text(wanted.kind, sizeof wanted.kind, kind);
  copy_text(wanted.text, sizeof wanted.text, text);
  ReportPage& open = page();
  const std::lock_guard lock(books().mutex);
  if (ReportPage::Note* const note = find_note(open, wanted))
    ++note->count;
  else
    ++open.notes_left_out;
}

const ReportPage& report_page() { return page(); }

}  // namespace simgpu
