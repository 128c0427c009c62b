#include "simgpu/cublaslt/preference.hpp"

#include <cstddef>
#include <cstring>

#include "simgpu/cublas/types.hpp"

using namespace simgpu::cublas;

namespace {

constexpr int max_workspace_bytes = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

}  // namespace

SIMGPU_EXPORT int cublasLtMatmulPreferenceCreate(Preference** preference) {
  if (preference == nullptr) return invalid_value;
  *preference = new Preference{};
  return success;
}

SIMGPU_EXPORT int cublasLtMatmulPreferenceInit_internal(Preference* preference, std::size_t bytes) {
  if (preference == nullptr || bytes < sizeof(Preference)) return invalid_value;
  *preference = {};
  return success;
}

SIMGPU_EXPORT int cublasLtMatmulPreferenceDestroy(Preference* preference) {
  delete preference;
  return success;
}

SIMGPU_EXPORT int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute,
                                                       const void* value, std::size_t bytes) {
  if (preference == nullptr) return invalid_value;
  if (attribute != max_workspace_bytes) return success;
  if (value == nullptr || bytes != sizeof(Preference::max_workspace_bytes)) return invalid_value;
  std::memcpy(&preference->max_workspace_bytes, value, bytes);
  return success;
}
