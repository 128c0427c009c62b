#include "fidelity/libtorch/torch_subject.hpp"

#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fidelity/libtorch/cuda_events.hpp"

namespace highwater::oracle {
namespace {

namespace torch_allocator = c10::cuda::CUDACachingAllocator;
using Entry = torch_allocator::TraceEntry;

constexpr c10::DeviceIndex device = 0;

std::vector<Event>& heard() {
  static auto& events = *new std::vector<Event>;
  return events;
}

std::optional<Action> action_of(Entry::Action action) {
  switch (action) {
    case Entry::ALLOC:
      return Action::alloc;
    case Entry::FREE_REQUESTED:
      return Action::free_requested;
    case Entry::FREE_COMPLETED:
      return Action::free_completed;
    case Entry::SEGMENT_ALLOC:
      return Action::segment_alloc;
    case Entry::SEGMENT_FREE:
      return Action::segment_free;
    case Entry::SEGMENT_MAP:
      return Action::segment_map;
    case Entry::SEGMENT_UNMAP:
      return Action::segment_unmap;
    case Entry::OOM:
      return Action::oom;
    case Entry::SNAPSHOT:
      break;
  }
  return std::nullopt;
}

/// An oom entry has the free memory for its address.
void hear(const Entry& entry) {
  const auto action = action_of(entry.action_);
  if (!action) return;
  const Address address = *action == Action::oom ? 0 : entry.addr_;
  heard().push_back({*action, address, entry.size_, reinterpret_cast<Stream>(entry.stream_)});
}

/// Trackers cannot be taken off again.
void start_listening() {
  static const bool once = [] {
    torch_allocator::init(1);
    torch_allocator::attachAllocatorTraceTracker(hear);
    return true;
  }();
  static_cast<void>(once);
}

void* pointer_of(Address address) { return reinterpret_cast<void*>(address); }

}  // namespace

TorchSubject::TorchSubject(Address shift) : shift_(shift) {
  start_listening();
  heard().clear();
}

TorchSubject::~TorchSubject() { heard().clear(); }

void TorchSubject::configure(const Settings& settings) {
  c10::CachingAllocator::setAllocatorSettings(to_configuration(settings));
}

std::vector<Stream> TorchSubject::streams(std::size_t count) {
  const auto add = [&](const c10::cuda::CUDAStream& stream) {
    streams_.emplace(reinterpret_cast<Stream>(stream.stream()), stream);
  };
  add(c10::cuda::getDefaultCUDAStream(device));
  // The pool hands its 32 streams out in turn.
  while (streams_.size() < count) add(c10::cuda::getStreamFromPool(false, device));
  std::vector<Stream> handles;
  for (const auto& [handle, stream] : streams_) handles.push_back(handle);
  handles.resize(count);
  return handles;
}

std::optional<Address> TorchSubject::allocate(Bytes bytes, Stream stream) {
  try {
    void* const pointer =
        torch_allocator::raw_alloc_with_stream(bytes, reinterpret_cast<cudaStream_t>(stream));
    return reinterpret_cast<Address>(pointer) - shift_;
  } catch (const c10::OutOfMemoryError&) {
    return std::nullopt;
  }
}

void TorchSubject::free(Address address) {
  torch_allocator::raw_delete(pointer_of(address + shift_));
}

/// recordStream wants the owner of a block; this one only looks like it.
void TorchSubject::use(Address address, Stream stream) {
  void* const pointer = pointer_of(address + shift_);
  auto* const allocator = torch_allocator::get();
  c10::DataPtr owner(pointer, pointer, allocator->raw_deleter(), {c10::DeviceType::CUDA, device});
  allocator->recordStream(owner, streams_.at(stream));
  owner.release_context();
}

void TorchSubject::empty_cache() { torch_allocator::emptyCache(); }

void TorchSubject::finish(Stream stream) { cuda_clocks().finish(stream); }

void TorchSubject::allow(double fraction) { torch_allocator::setMemoryFraction(fraction, device); }

std::vector<Event> TorchSubject::take_events() {
  std::vector<Event> events = std::exchange(heard(), {});
  for (Event& event : events)
    if (event.action != Action::oom) event.address -= shift_;
  return events;
}

Layout TorchSubject::layout() {
  Layout layout;
  for (const auto& segment : torch_allocator::snapshot().segments) {
    const Address address = segment.address - shift_;
    layout.push_back({address,
                      segment.total_size,
                      segment.is_large ? Pool::large : Pool::small,
                      reinterpret_cast<Stream>(segment.stream),
                      {}});
    Address at = address;
    for (const auto& block : segment.blocks) {
      layout.back().blocks.push_back({at, block.size, block.requested_size, block.allocated});
      at += block.size;
    }
  }
  std::ranges::sort(layout, {}, &SegmentLayout::address);
  return layout;
}

}  // namespace highwater::oracle
