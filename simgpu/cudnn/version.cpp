#include <cstddef>

#include "simgpu/device/export.hpp"

/// Versions of cuDNN 9.19.0, the one Torch 2.11 is built with. Every other name stops the program:
/// the plans cuDNN would choose, and so their workspaces, are not known here.

SIMGPU_EXPORT std::size_t cudnnGetVersion() { return 91900; }

SIMGPU_EXPORT std::size_t cudnnGetCudartVersion() { return 13010; }
