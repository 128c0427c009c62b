#pragma once

#include <driver_types.h>

#include <cstddef>
#include <optional>

#include "simgpu/device/export.hpp"

/// What the stand-in needs of NCCL's C interface, declared from its documentation
/// (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html): NCCL's header is not in
/// the wheels this is built from. Enumerations are C ints.
namespace simgpu::nccl {

enum Result : int {
  success = 0,
  unhandled_cuda_error = 1,
  invalid_argument = 4,
  invalid_usage = 5,
};

/// ncclUniqueId: passed by value.
struct UniqueId {
  char bytes[128];
};

/// One rank's end of a communicator. Its peers are taken to hold what this rank holds.
struct Communicator {
  int rank = 0;
  /// How many ranks there are. Not known after ncclCommSplit: every rank names its colour there,
  /// and only the ranks together know how many named the same.
  std::optional<int> size;
  int device = 0;
};

/// Bytes of one element of an ncclDataType_t. A type that is not documented stops the program.
std::size_t bytes_of(int data_type, const char* function);

/// What a collective does here: `target` receives what the peers sent, which is what is known of
/// `source` (device/shadow.hpp: small pieces; large messages carry no bytes). Either may be null
/// where NCCL documents the argument as unused on this rank.
Result echo(void* target, const void* source, std::size_t bytes, cudaStream_t stream);

/// The kernel of a collective or of a message: a piece of work in `stream`, whose end Torch's
/// watchdog asks for (device/watchers.hpp). Not a launch that may have changed any memory: only the
/// target changes.
Result put_in(cudaStream_t stream);

/// `put_in` and `echo`.
Result collective(void* target, const void* source, std::size_t bytes, cudaStream_t stream);

}  // namespace simgpu::nccl
