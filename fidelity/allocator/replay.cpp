#include "fidelity/allocator/replay.hpp"

#include <exception>
#include <map>

namespace highwater::oracle {
namespace {

/// What was requested last of a free block is no part of the state.
Layout without_old_requests(Layout layout) {
  for (SegmentLayout& segment : layout)
    for (BlockLayout& block : segment.blocks)
      if (!block.is_allocated) block.requested = 0;
  return layout;
}

void repeat_calls(const Trace& trace, Subject& subject, Replay& result) {
  std::map<Address, Address> seen_at;  // recorded address -> the subject's, where they differ
  subject.take_events();
  for (const Call& call : calls_of(trace)) {
    switch (call.kind) {
      case Call::Kind::allocate: {
        const auto address = subject.allocate(call.bytes, call.stream);
        ++result.allocations;
        if (address != call.address) {
          ++result.misplaced;
          seen_at[call.address] = address.value_or(0);
        }
        break;
      }
      case Call::Kind::free: {
        const auto moved = seen_at.extract(call.address);
        subject.free(moved ? moved.mapped() : call.address);
        break;
      }
      case Call::Kind::empty_cache:
        subject.empty_cache();
        break;
    }
    result.comparison.add(call.events, subject.take_events());
  }
}

}  // namespace

Replay replay(const Trace& trace, Subject& subject) {
  Replay result;
  try {
    repeat_calls(trace, subject, result);
    result.is_end_equal = without_old_requests(subject.layout()) == without_old_requests(trace.end);
  } catch (const std::exception&) {
    if (!result.comparison.first()) throw;
  }
  return result;
}

}  // namespace highwater::oracle
