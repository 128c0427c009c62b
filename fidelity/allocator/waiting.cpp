#include "fidelity/allocator/allocator.hpp"

namespace highwater::oracle {

void Allocator::complete(Block& block) {
  emit(Action::free_completed, block.address, block.requested, block.segment->stream);
  block.state = State::free;
  put_on_shelf(merge_with_neighbours(block));
}

void Allocator::complete_one_mark(Block& block) {
  if (--block.marks == 0) complete(block);
}

/// A stream's work ends in order, so the first mark that is not reached hides those after it.
void Allocator::complete_done_frees() {
  for (auto& [stream, queue] : waiting_)
    for (; !queue.empty() && driver_.is_done(queue.front().first); queue.pop_front())
      complete_one_mark(*queue.front().second);
}

void Allocator::wait_for_all_frees() {
  for (auto& [stream, queue] : waiting_)
    for (; !queue.empty(); queue.pop_front()) {
      driver_.wait(queue.front().first);
      complete_one_mark(*queue.front().second);
    }
}

}  // namespace highwater::oracle
