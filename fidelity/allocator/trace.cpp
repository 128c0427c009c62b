#include "fidelity/allocator/trace.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace highwater::oracle {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, std::size_t line, const std::string& complaint) {
  throw std::runtime_error(file.string() + ", line " + std::to_string(line) + ": " + complaint);
}

/// The cells of every row, by their column's name.
class Table {
 public:
  explicit Table(const fs::path& file) : file_(file), stream_(file) {
    if (!stream_) throw std::runtime_error(file.string() + " cannot be read");
    next();
    names_ = cells_;
  }

  bool next() {
    ++line_;
    cells_.clear();
    std::string text;
    if (!std::getline(stream_, text)) return false;
    std::istringstream row(text);
    for (std::string cell; std::getline(row, cell, '\t');) cells_.push_back(cell);
    return true;
  }

  std::string text(const std::string& column) const {
    const auto found = std::ranges::find(names_, column);
    const auto index = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end() || index >= cells_.size()) complain("has no " + column);
    return cells_[index];
  }

  std::uint64_t number(const std::string& column) const {
    const std::string cell = text(column);
    std::uint64_t value = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stopped, error] = std::from_chars(cell.data(), end, value);
    if (error != std::errc{} || stopped != end)
      complain("has '" + cell + "' for " + column + ", which is no whole number");
    return value;
  }

  [[noreturn]] void complain(const std::string& complaint) const {
    refuse(file_, line_, complaint);
  }

 private:
  fs::path file_;
  std::ifstream stream_;
  std::size_t line_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> cells_;
};

std::vector<Event> read_events(const fs::path& file) {
  Table table(file);
  std::vector<Event> events;
  while (table.next()) {
    const auto action = action_named(table.text("action"));
    if (!action) table.complain("has the unknown action '" + table.text("action") + "'");
    events.push_back({*action, table.number("addr"), table.number("size"), table.number("stream")});
  }
  return events;
}

/// Streams are not in the table; every trace we have knows the default stream only.
Layout read_segments(const fs::path& file) {
  Table table(file);
  std::map<Address, SegmentLayout> segments;
  while (table.next()) {
    const Address address = table.number("segment_addr");
    const Pool pool = table.text("segment_type") == "small" ? Pool::small : Pool::large;
    auto& segment =
        segments
            .try_emplace(address, SegmentLayout{address, table.number("total_size"), pool, 0, {}})
            .first->second;
    segment.blocks.push_back({table.number("block_addr"), table.number("block_size"),
                              table.number("requested_size"),
                              table.text("state") == "active_allocated"});
  }
  Layout layout;
  for (auto& [address, segment] : segments) {
    std::ranges::sort(segment.blocks, {}, &BlockLayout::address);
    layout.push_back(std::move(segment));
  }
  return layout;
}

/// Every segment of the small pool has 2 MiB, none of the large pool has.
Pool pool_of_segment(Bytes bytes) { return bytes == 2 * mib ? Pool::small : Pool::large; }

/// The segments before the first event, by address, to their size.
std::map<Address, Bytes> segments_at_start(const Trace& trace) {
  std::map<Address, Bytes> segments;
  for (const SegmentLayout& segment : trace.end) segments.emplace(segment.address, segment.bytes);
  for (auto event = trace.events.rbegin(); event != trace.events.rend(); ++event) {
    if (event->action == Action::segment_alloc) segments.erase(event->address);
    if (event->action == Action::segment_free) segments.emplace(event->address, event->bytes);
  }
  return segments;
}

/// Blocks that live at the end and were not allocated during the trace have been there all the
/// time.
std::map<Address, BlockLayout> blocks_at_start(const Trace& trace) {
  std::set<Address> allocated;
  for (const Event& event : trace.events) {
    if (event.action == Action::alloc) allocated.insert(event.address);
    if (event.action == Action::free_requested && allocated.erase(event.address) == 0)
      throw std::runtime_error(
          "a block that was allocated before the trace is freed in it: " + to_text(event) +
          "; its size in the pool is not known, so the start cannot be rebuilt");
  }
  std::map<Address, BlockLayout> blocks;
  for (const SegmentLayout& segment : trace.end)
    for (const BlockLayout& block : segment.blocks)
      if (block.is_allocated && !allocated.contains(block.address))
        blocks.emplace(block.address, block);
  return blocks;
}

/// What lies between allocated blocks is free, and free neighbours are always one block.
void fill_gap(SegmentLayout& segment, Address from, Address to) {
  if (from < to) segment.blocks.push_back({from, to - from, 0, false});
}

}  // namespace

Layout Trace::start() const {
  const auto blocks = blocks_at_start(*this);
  Layout layout;
  for (const auto& [address, bytes] : segments_at_start(*this)) {
    SegmentLayout segment{address, bytes, pool_of_segment(bytes), 0, {}};
    Address at = address;
    for (auto next = blocks.lower_bound(address);
         next != blocks.end() && next->first < address + bytes; ++next) {
      fill_gap(segment, at, next->first);
      segment.blocks.push_back(next->second);
      at = next->first + next->second.bytes;
    }
    fill_gap(segment, at, address + bytes);
    layout.push_back(std::move(segment));
  }
  return layout;
}

Trace read_trace(const fs::path& events, const fs::path& segments) {
  return {read_events(events), read_segments(segments)};
}

std::vector<Call> calls_of(const Trace& trace) {
  std::vector<Call> calls;
  std::vector<Event> pending;  // of the driver, before the call they belong to is known
  const auto close = [&](Call call) {
    call.events = std::exchange(pending, {});
    calls.push_back(std::move(call));
  };
  for (const Event& event : trace.events) {
    const bool frees_only = !pending.empty() && pending.back().action == Action::segment_free;
    if (frees_only && event.action != Action::segment_free) close({Call::Kind::empty_cache});
    pending.push_back(event);
    switch (event.action) {
      case Action::segment_alloc:
      case Action::segment_free:
      case Action::free_requested:
        break;
      case Action::alloc:
        close({Call::Kind::allocate, event.bytes, event.address, event.stream});
        break;
      case Action::free_completed:
        if (pending.size() != 2 || pending.front().address != event.address)
          throw std::runtime_error("a free completed apart from its request (" + to_text(event) +
                                   "); the trace does not tell when streams finished");
        close({Call::Kind::free, 0, event.address, event.stream});
        break;
      default:
        throw std::runtime_error("the trace holds what cannot be repeated from it: " +
                                 to_text(event));
    }
  }
  if (!pending.empty() && pending.back().action == Action::segment_free)
    close({Call::Kind::empty_cache});
  if (!pending.empty())
    throw std::runtime_error("the trace ends inside a call: " + to_text(pending.back()));
  return calls;
}

}  // namespace highwater::oracle
