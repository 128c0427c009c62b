#pragma once

#include <cstdint>

namespace simgpu::cublas {

/// What a caller accepts of a product's algorithm. Callers may keep it in memory of their own
/// (cublasLtMatmulPreferenceOpaque_t, 64 bytes), so it owns nothing.
struct Preference {
  std::uint64_t max_workspace_bytes;  ///< 0 unless set
};
static_assert(sizeof(Preference) <= 64);

}  // namespace simgpu::cublas
