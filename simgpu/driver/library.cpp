#include <cuda.h>

#include "simgpu/device/export.hpp"

/// Libraries of kernels that load on whatever device they are used. No image is looked into. cuDNN
/// loads the kernels of a plan so when it finalises it.

namespace {

struct Handle {};

template <class Pointer>
CUresult create(Pointer* handle) {
  *handle = reinterpret_cast<Pointer>(new Handle);
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_EXPORT CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**,
                                         unsigned, CUlibraryOption*, void**, unsigned) {
  return create(library);
}

SIMGPU_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  delete reinterpret_cast<Handle*>(library);
  return CUDA_SUCCESS;
}

/// Kernels live as long as the process; there are few.
SIMGPU_EXPORT CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char*) {
  return create(kernel);
}

/// A kernel is asked before it has a context, a function within one; the answers are the same.
SIMGPU_EXPORT CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel,
                                            CUdevice) {
  return cuFuncGetAttribute(value, attribute, nullptr);
}

SIMGPU_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute, int, CUkernel, CUdevice) {
  return CUDA_SUCCESS;
}
