#include <algorithm>
#include <iterator>

#include "simgpu/device/config.hpp"
#include "simgpu/device/versions.hpp"
#include "simgpu/nvml/device.hpp"

using namespace simgpu;
using namespace simgpu::nvml;

namespace {

struct ResultText {
  int code;
  const char* text;
};

constexpr ResultText result_texts[] = {
    {success, "Success"},
    {invalid_argument, "Invalid Argument"},
    {not_supported, "Not Supported"},
    {not_found, "Not Found"},
    {insufficient_size, "Insufficient Size"},
    {driver_not_loaded, "Driver Not Loaded"},
};

/// The oldest driver that a major version of CUDA runs on, from
/// https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/ (minor version compatibility).
const char* oldest_driver() {
  switch (driver_version / 1000) {
    case 12:
      return "525.60.13";
    case 13:
      return "580.65.06";
    default:
      return nullptr;
  }
}

}  // namespace

SIMGPU_EXPORT int nvmlInit_v2() { return config().device_count == 0 ? driver_not_loaded : success; }

SIMGPU_EXPORT int nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }

SIMGPU_EXPORT int nvmlShutdown() { return success; }

SIMGPU_EXPORT const char* nvmlErrorString(int result) {
  const auto* found = std::ranges::find(result_texts, result, &ResultText::code);
  return found == std::end(result_texts) ? "Unknown Error" : found->text;
}

SIMGPU_EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = driver_version;
  return success;
}

SIMGPU_EXPORT int nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

SIMGPU_EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  const char* const version = oldest_driver();
  return version ? copy_text(version, text, length) : not_supported;
}

/// What a simulated device has none of, or no true answer for.
#define SIMGPU_EXPORT_UNSUPPORTED(name) \
  SIMGPU_EXPORT int name(...) { return not_supported; }

SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetClockInfo)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetGpuFabricInfoV)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetMigMode)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetNvLinkRemoteDeviceType)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetNvLinkRemotePciInfo_v2)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetNvLinkState)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetPowerUsage)
SIMGPU_EXPORT_UNSUPPORTED(nvmlDeviceGetTemperature)
