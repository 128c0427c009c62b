#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simgpu/cublas/types.hpp"
#include "simgpu/device/kernels.hpp"

/// cuBLASLt (https://docs.nvidia.com/cuda/cublas/#using-the-cublaslt-api): nobody asks descriptors
/// back, so they keep what the log of work tells; products do nothing.

using namespace simgpu::cublas;

namespace {

struct Descriptor {
  int operations[2] = {};  // cublasOperation_t of both factors
  int type = 0;            // cudaDataType_t
  std::uint64_t rows = 0, columns = 0;
  int batch = 1;
};

/// The attributes that matter, by their numbers in cublasLtMatmulDescAttributes_t and
/// cublasLtMatrixLayoutAttribute_t. All are 32-bit integers.
constexpr int operation_a = 3, operation_b = 4, batch_count = 5;

void keep(int* place, const void* value, std::size_t bytes) {
  if (bytes == sizeof *place) std::memcpy(place, value, bytes);
}

int create(Descriptor** descriptor) {
  if (descriptor == nullptr) return invalid_value;
  *descriptor = new Descriptor;
  return success;
}

int destroy(Descriptor* descriptor) {
  delete descriptor;
  return success;
}

}  // namespace

SIMGPU_EXPORT std::size_t cublasLtGetVersion() { return version; }

SIMGPU_EXPORT std::size_t cublasLtGetCudartVersion() { return simgpu::torch_cuda_version; }

SIMGPU_EXPORT int cublasLtCreate(Descriptor** handle) { return create(handle); }
SIMGPU_EXPORT int cublasLtDestroy(Descriptor* handle) { return destroy(handle); }

SIMGPU_EXPORT int cublasLtMatmulDescCreate(Descriptor** descriptor, int, int) {
  return create(descriptor);
}
SIMGPU_EXPORT int cublasLtMatmulDescDestroy(Descriptor* descriptor) { return destroy(descriptor); }
SIMGPU_EXPORT int cublasLtMatmulDescSetAttribute(Descriptor* descriptor, int attribute,
                                                 const void* value, std::size_t bytes) {
  if (attribute == operation_a) keep(&descriptor->operations[0], value, bytes);
  if (attribute == operation_b) keep(&descriptor->operations[1], value, bytes);
  return success;
}

SIMGPU_EXPORT int cublasLtMatrixLayoutCreate(Descriptor** layout, int type, std::uint64_t rows,
                                             std::uint64_t columns, std::int64_t) {
  const int status = create(layout);
  if (status != success) return status;
  (*layout)->type = type;
  (*layout)->rows = rows;
  (*layout)->columns = columns;
  return success;
}
SIMGPU_EXPORT int cublasLtMatrixLayoutDestroy(Descriptor* layout) { return destroy(layout); }
SIMGPU_EXPORT int cublasLtMatrixLayoutSetAttribute(Descriptor* layout, int attribute,
                                                   const void* value, std::size_t bytes) {
  if (attribute == batch_count) keep(&layout->batch, value, bytes);
  return success;
}

SIMGPU_EXPORT int cublasLtMatmul(void*, Descriptor* operation, const void*, const void*,
                                 Descriptor* a, const void*, Descriptor* b, const void*,
                                 const void*, Descriptor*, void*, Descriptor* d, const void*, void*,
                                 std::size_t, const void* stream) {
  const std::uint64_t k = operation->operations[0] == 0 ? a->columns : a->rows;
  const simgpu::Product product{"cublasLtMatmul",
                                operation->operations[0],
                                operation->operations[1],
                                static_cast<std::int64_t>(d->rows),
                                static_cast<std::int64_t>(d->columns),
                                static_cast<std::int64_t>(k),
                                d->batch,
                                {a->type, b->type, d->type}};
  return simgpu::call_product(stream, product) == cudaSuccess ? success : execution_failed;
}
