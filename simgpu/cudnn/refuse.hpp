#pragma once

#include "simgpu/device/stop.hpp"

namespace simgpu::cudnn {

/// Stops the program at `call`, which times plans on the device to keep the fastest.
[[noreturn]] void refuse_search(const char* call);

}  // namespace simgpu::cudnn

/// Defines entry points that stop the program with a reason. None may reach the real library: it
/// would take the stand-in's handle for one of its own.
#define SIMGPU_EXPORT_REFUSED(name, advice) \
  SIMGPU_EXPORT int name(...) { simgpu::stop_unanswered(#name, "cuDNN", advice); }
