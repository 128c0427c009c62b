#include <cuda.h>

#include <algorithm>
#include <iterator>

#include "simgpu/device/export.hpp"

namespace {

struct ErrorText {
  CUresult code;
  const char* name;
  const char* text;
};

/// Texts as the driver prints them.
constexpr ErrorText error_texts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

const ErrorText* find(CUresult error) {
  const auto* found = std::ranges::find(error_texts, error, &ErrorText::code);
  return found == std::end(error_texts) ? nullptr : found;
}

}  // namespace

SIMGPU_EXPORT CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorText* found = find(error);
  *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_EXPORT CUresult cuGetErrorName(CUresult error, const char** name) {
  const ErrorText* found = find(error);
  *name = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
