#include <algorithm>
#include <atomic>
#include <cstdio>
#include <span>

#include <unistd.h>

#include "simgpu/device/current.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/nccl/types.hpp"

/// Communicators are made at once: nobody is waited for, since every process poses one rank and its
/// peers need not exist.

using namespace simgpu;
using namespace simgpu::nccl;

namespace {

Result create(Communicator** communicator, std::optional<int> size, int rank, int device) {
  const bool is_rank = rank >= 0 && (!size || rank < *size);
  if (communicator == nullptr || !is_rank) return invalid_argument;
  *communicator = new Communicator{rank, size, device};
  return success;
}

Result destroy(Communicator* communicator) {
  delete communicator;
  return success;
}

}  // namespace

/// Distinct in every process and call, as the real one is.
SIMGPU_EXPORT int ncclGetUniqueId(UniqueId* id) {
  static std::atomic<int> count{0};
  *id = {};
  std::snprintf(id->bytes, sizeof id->bytes, "simgpu-%d-%d", static_cast<int>(getpid()), count++);
  return success;
}

SIMGPU_EXPORT int ncclCommInitRank(Communicator** communicator, int size, UniqueId, int rank) {
  return create(communicator, size, rank, current_device());
}

SIMGPU_EXPORT int ncclCommInitRankConfig(Communicator** communicator, int size, UniqueId, int rank,
                                         void*) {
  return create(communicator, size, rank, current_device());
}

SIMGPU_EXPORT int ncclCommInitRankScalable(Communicator** communicator, int size, int rank, int,
                                           UniqueId*, void*) {
  return create(communicator, size, rank, current_device());
}

SIMGPU_EXPORT int ncclCommInitAll(Communicator** communicators, int size, const int* devices) {
  for (int rank = 0; rank < size; ++rank)
    create(&communicators[rank], size, rank, devices ? devices[rank] : rank);
  return success;
}

/// The rank in the new communicator is the place of `key` among its ranks' keys. Torch numbers the
/// keys of a group from 0, so the key is the rank.
SIMGPU_EXPORT int ncclCommSplit(const Communicator* parent, int color, int key,
                                Communicator** communicator, void*) {
  constexpr int no_color = -1;
  if (parent == nullptr) return invalid_argument;
  if (color != no_color) return create(communicator, std::nullopt, key, parent->device);
  *communicator = nullptr;
  return success;
}

SIMGPU_EXPORT int ncclCommShrink(const Communicator* parent, const int* excluded,
                                 int excluded_count, Communicator** communicator, void*, int) {
  if (parent == nullptr || !parent->size) return invalid_argument;
  const std::span gone(excluded, static_cast<std::size_t>(excluded_count));
  const auto before = std::ranges::count_if(gone, [&](int rank) { return rank < parent->rank; });
  return create(communicator, *parent->size - excluded_count,
                parent->rank - static_cast<int>(before), parent->device);
}

SIMGPU_EXPORT int ncclCommFinalize(Communicator*) { return success; }

SIMGPU_EXPORT int ncclCommDestroy(Communicator* communicator) { return destroy(communicator); }

SIMGPU_EXPORT int ncclCommAbort(Communicator* communicator) { return destroy(communicator); }

SIMGPU_EXPORT int ncclCommGetAsyncError(Communicator*, int* error) {
  *error = success;
  return success;
}

SIMGPU_EXPORT int ncclCommCount(const Communicator* communicator, int* size) {
  if (communicator == nullptr) return invalid_argument;
  if (!communicator->size)
    stop_unanswered(
        "ncclCommCount of a communicator made by ncclCommSplit (one process cannot know how many "
        "ranks took part; leave `device_id` out of init_process_group and groups are not split)",
        "NCCL");
  *size = *communicator->size;
  return success;
}

SIMGPU_EXPORT int ncclCommUserRank(const Communicator* communicator, int* rank) {
  if (communicator == nullptr) return invalid_argument;
  *rank = communicator->rank;
  return success;
}

SIMGPU_EXPORT int ncclCommCuDevice(const Communicator* communicator, int* device) {
  if (communicator == nullptr) return invalid_argument;
  *device = communicator->device;
  return success;
}
