#include "simgpu/device/unknown_sizes.hpp"

#include <atomic>

#include "simgpu/device/config.hpp"
#include "simgpu/device/notes.hpp"

namespace simgpu {
namespace {

std::atomic<std::uint64_t> unknown_sizes{0};

}  // namespace

std::uint64_t answer_unknown_size(const std::string& what, std::uint64_t low, std::uint64_t high) {
  if (low == high) return low;
  ++unknown_sizes;
  note(NoteKind::bounded_size,
       what + ": " + std::to_string(low) + " to " + std::to_string(high) + " bytes");
  return config().unknown_sizes == UnknownSizes::high ? high : low;
}

}  // namespace simgpu

std::uint64_t simgpu_unknown_sizes() { return simgpu::unknown_sizes; }
