#include <algorithm>
#include <iterator>

#include "simgpu/device/stop.hpp"
#include "simgpu/nccl/types.hpp"
#include "torch_build.hpp"

using namespace simgpu::nccl;

namespace {

struct ResultText {
  int code;
  const char* text;
};

constexpr ResultText result_texts[] = {
    {success, "no error"},
    {unhandled_cuda_error, "unhandled cuda error"},
    {invalid_argument, "invalid argument"},
    {invalid_usage, "invalid usage"},
};

}  // namespace

/// The version Torch was built with: its wheel names it.
SIMGPU_EXPORT int ncclGetVersion(int* version) {
  if (simgpu::torch_nccl_version == 0)
    simgpu::stop_unanswered(
        "ncclGetVersion (the Torch folder this was built for has no torch-*.dist-info/METADATA "
        "beside it that names its NCCL)",
        "NCCL");
  *version = simgpu::torch_nccl_version;
  return success;
}

SIMGPU_EXPORT const char* ncclGetErrorString(int result) {
  const auto* found = std::ranges::find(result_texts, result, &ResultText::code);
  return found == std::end(result_texts) ? "unknown result code" : found->text;
}

SIMGPU_EXPORT const char* ncclGetLastError(const Communicator*) { return ""; }

/// Operators beyond the built-in five (ncclSum to ncclAvg) are numbered from ncclNumOps.
SIMGPU_EXPORT int ncclRedOpCreatePreMulSum(int* operation, void*, int, int, Communicator*) {
  constexpr int first_own_operation = 5;
  *operation = first_own_operation;
  return success;
}

SIMGPU_EXPORT int ncclRedOpDestroy(int, Communicator*) { return success; }
