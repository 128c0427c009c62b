#include <algorithm>
#include <vector>

#include "simgpu/device/shadow.hpp"
#include "simgpu/nccl/types.hpp"

/// Between ncclGroupStart and ncclGroupEnd, as Torch makes its all-to-all and its batches, what
/// this rank receives is found among what it sends: peers hold what this rank holds, so they send
/// to this rank what this rank would send to itself, or failing that to anyone. A receive on its
/// own brings bytes that nobody knows.

using namespace simgpu::nccl;

namespace {

struct Message {
  const Communicator* communicator;
  int peer;
  void* buffer;
  std::size_t bytes;
  cudaStream_t stream;
};

struct Group {
  int depth = 0;
  std::vector<Message> sends;
  std::vector<Message> receives;
};

thread_local Group group;

const Message* find_source(const Message& receive) {
  const auto fits = [&](const Message& send) {
    return send.communicator == receive.communicator && send.bytes == receive.bytes;
  };
  const auto to_self = [&](const Message& send) {
    return fits(send) && send.peer == receive.communicator->rank;
  };
  auto found = std::ranges::find_if(group.sends, to_self);
  if (found == group.sends.end()) found = std::ranges::find_if(group.sends, fits);
  return found == group.sends.end() ? nullptr : &*found;
}

int deliver() {
  int result = success;
  for (const Message& receive : group.receives) {
    if (result != success) break;
    if (const Message* const send = find_source(receive))
      result = echo(receive.buffer, send->buffer, receive.bytes, receive.stream);
    else
      simgpu::forget_shadow(reinterpret_cast<simgpu::Address>(receive.buffer), receive.bytes);
  }
  group.sends.clear();
  group.receives.clear();
  return result;
}

int post(std::vector<Message>& messages, const Message& message) {
  messages.push_back(message);
  if (const Result result = put_in(message.stream); result != success) return result;
  return group.depth == 0 ? deliver() : success;
}

}  // namespace

SIMGPU_EXPORT int ncclGroupStart() {
  ++group.depth;
  return success;
}

SIMGPU_EXPORT int ncclGroupEnd() {
  if (group.depth == 0) return invalid_usage;
  return --group.depth == 0 ? deliver() : success;
}

SIMGPU_EXPORT int ncclSend(const void* buffer, std::size_t count, int type, int peer,
                           Communicator* communicator, cudaStream_t stream) {
  return post(group.sends, {communicator, peer, const_cast<void*>(buffer),
                            count * bytes_of(type, __func__), stream});
}

SIMGPU_EXPORT int ncclRecv(void* buffer, std::size_t count, int type, int peer,
                           Communicator* communicator, cudaStream_t stream) {
  return post(group.receives,
              {communicator, peer, buffer, count * bytes_of(type, __func__), stream});
}
