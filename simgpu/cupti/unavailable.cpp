#include <cstdint>

#include "simgpu/device/export.hpp"

/// There is nothing to trace: every request is answered "not supported", which profilers take as a
/// machine without tracing. Numbers from CUPTI's documentation (https://docs.nvidia.com/cupti/).

namespace {

constexpr int success = 0;
constexpr int not_supported = 27;

/// CUPTI_API_VERSION of CUDA 13.0.
constexpr std::uint32_t version = 130001;

}  // namespace

#define SIMGPU_EXPORT_UNAVAILABLE(name) \
  SIMGPU_EXPORT int name(...) { return not_supported; }

SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityDisable)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityEnable)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityEnableCudaEventDeviceTimestamps)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityEnableDriverApi)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityEnableRuntimeApi)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityFlushAll)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityGetNextRecord)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityGetNumDroppedRecords)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityPopExternalCorrelationId)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityPushExternalCorrelationId)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityRegisterCallbacks)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivityRegisterTimestampCallback)
SIMGPU_EXPORT_UNAVAILABLE(cuptiActivitySetAttribute)
SIMGPU_EXPORT_UNAVAILABLE(cuptiEnableCallback)
SIMGPU_EXPORT_UNAVAILABLE(cuptiEnableDomain)
SIMGPU_EXPORT_UNAVAILABLE(cuptiFinalize)
SIMGPU_EXPORT_UNAVAILABLE(cuptiSubscribe)
SIMGPU_EXPORT_UNAVAILABLE(cuptiUnsubscribe)

SIMGPU_EXPORT int cuptiGetVersion(std::uint32_t* number) {
  *number = version;
  return success;
}

SIMGPU_EXPORT int cuptiGetResultString(int, const char** text) {
  *text = "not supported on a simulated GPU";
  return success;
}
