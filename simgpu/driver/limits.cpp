#include <cuda.h>

#include <array>
#include <atomic>
#include <iterator>
#include <string>

#include "simgpu/device/current.hpp"
#include "simgpu/device/notes.hpp"
#include "simgpu/device/stop.hpp"

/// Limits of a context are kept and told back. On a card some of them move what the context takes
/// of the device's memory; here the context's bytes stay those of the profile, which is noted.

using namespace simgpu;

namespace {

struct Limit {
  CUlimit number;
  const char* name;
  std::size_t default_value;
};

/// Defaults as a new context reports them (CUDA C++ Programming Guide: 1 KiB of stack a thread, a
/// printf buffer of 1 MiB, a heap of 8 MiB).
constexpr Limit limits[] = {
    {CU_LIMIT_STACK_SIZE, "CU_LIMIT_STACK_SIZE", 1 << 10},
    {CU_LIMIT_PRINTF_FIFO_SIZE, "CU_LIMIT_PRINTF_FIFO_SIZE", 1 << 20},
    {CU_LIMIT_MALLOC_HEAP_SIZE, "CU_LIMIT_MALLOC_HEAP_SIZE", 8 << 20},
};
constexpr std::size_t limit_count = std::size(limits);
constexpr int max_devices = 64;

/// 0: not set.
std::array<std::array<std::atomic<std::size_t>, limit_count>, max_devices> values;

std::size_t index_of(CUlimit number, const char* function) {
  for (std::size_t index = 0; index < limit_count; ++index)
    if (limits[index].number == number) return index;
  stop_unanswered(std::string(function) + ", limit " + std::to_string(number), "the driver");
}

std::atomic<std::size_t>& value_at(std::size_t index) {
  return values[static_cast<std::size_t>(current_device())][index];
}

}  // namespace

SIMGPU_EXPORT CUresult cuCtxGetLimit(std::size_t* value, CUlimit number) {
  const std::size_t index = index_of(number, __func__);
  const std::size_t kept = value_at(index);
  *value = kept ? kept : limits[index].default_value;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuCtxSetLimit(CUlimit number, std::size_t value) {
  const std::size_t index = index_of(number, __func__);
  if (value > limits[index].default_value)
    note(NoteKind::unlike_device, std::string("cuCtxSetLimit, ") + limits[index].name +
                                      ": the context's own memory does not grow with it");
  value_at(index) = value;
  return CUDA_SUCCESS;
}
