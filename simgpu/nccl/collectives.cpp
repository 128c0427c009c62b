#include "simgpu/nccl/types.hpp"

/// Every peer holds what this rank holds, so a reduction gives back what it was given. A sum over
/// ranks is therefore not multiplied: no size may depend on it (values are not simulated).

using namespace simgpu::nccl;

namespace {

const char* part(const void* buffer, int rank, std::size_t bytes) {
  return static_cast<const char*>(buffer) + static_cast<std::size_t>(rank) * bytes;
}

/// Writes `source` into every rank's part of `target`; where the number of ranks is not known, into
/// this rank's own. The own part may be `source` itself.
int gather(void* target, const void* source, std::size_t bytes, const Communicator* communicator,
           cudaStream_t stream) {
  int result = put_in(stream);
  if (target == nullptr) return result;
  const int first = communicator->size ? 0 : communicator->rank;
  const int end = communicator->size.value_or(communicator->rank + 1);
  for (int rank = first; rank < end && result == success; ++rank)
    result = echo(const_cast<char*>(part(target, rank, bytes)), source, bytes, stream);
  return result;
}

}  // namespace

SIMGPU_EXPORT int ncclAllReduce(const void* source, void* target, std::size_t count, int type, int,
                                Communicator*, cudaStream_t stream) {
  return collective(target, source, count * bytes_of(type, __func__), stream);
}

SIMGPU_EXPORT int ncclReduce(const void* source, void* target, std::size_t count, int type, int,
                             int root, Communicator* communicator, cudaStream_t stream) {
  void* const written = communicator->rank == root ? target : nullptr;
  return collective(written, source, count * bytes_of(type, __func__), stream);
}

SIMGPU_EXPORT int ncclBroadcast(const void* source, void* target, std::size_t count, int type, int,
                                Communicator*, cudaStream_t stream) {
  return collective(target, source, count * bytes_of(type, __func__), stream);
}

SIMGPU_EXPORT int ncclBcast(void* buffer, std::size_t count, int type, int, Communicator*,
                            cudaStream_t stream) {
  return collective(buffer, buffer, count * bytes_of(type, __func__), stream);
}

SIMGPU_EXPORT int ncclAllGather(const void* source, void* target, std::size_t count, int type,
                                Communicator* communicator, cudaStream_t stream) {
  return gather(target, source, count * bytes_of(type, __func__), communicator, stream);
}

SIMGPU_EXPORT int ncclGather(const void* source, void* target, std::size_t count, int type,
                             int root, Communicator* communicator, cudaStream_t stream) {
  void* const written = communicator->rank == root ? target : nullptr;
  return gather(written, source, count * bytes_of(type, __func__), communicator, stream);
}

SIMGPU_EXPORT int ncclReduceScatter(const void* source, void* target, std::size_t count, int type,
                                    int, Communicator* communicator, cudaStream_t stream) {
  const std::size_t bytes = count * bytes_of(type, __func__);
  return collective(target, part(source, communicator->rank, bytes), bytes, stream);
}

/// Each peer sends this rank the part that this rank would send itself.
SIMGPU_EXPORT int ncclAlltoAll(const void* source, void* target, std::size_t count, int type,
                               Communicator* communicator, cudaStream_t stream) {
  const std::size_t bytes = count * bytes_of(type, __func__);
  return gather(target, part(source, communicator->rank, bytes), bytes, communicator, stream);
}
