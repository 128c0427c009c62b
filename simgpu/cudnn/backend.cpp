#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "simgpu/cudnn/real_library.hpp"
#include "simgpu/cudnn/refuse.hpp"
#include "simgpu/cudnn/types.hpp"
#include "simgpu/device/cudnn_properties.hpp"
#include "simgpu/device/stop.hpp"

/// cuDNN's graph interface: descriptors are the real library's, with the profile's device
/// properties wherever a handle would have named the device.

using namespace simgpu;
using namespace simgpu::cudnn;

namespace {

using SetAttribute = int(Descriptor, int, int, std::int64_t, const void*);

std::string last_error() {
  char text[512] = "";
  real<void(char*, std::size_t)>("cudnnGetLastErrorString")(text, sizeof text);
  return text;
}

Descriptor make_device_properties() {
  const std::string json = cudnn_device_properties(profile());
  Descriptor made = nullptr;
  int status =
      real<int(int, Descriptor*)>("cudnnBackendCreateDescriptor")(device_properties, &made);
  if (status == success)
    status = real<SetAttribute>("cudnnBackendSetAttribute")(made, device_properties_json, type_char,
                                                            static_cast<std::int64_t>(json.size()),
                                                            json.data());
  if (status == success) status = real<int(Descriptor)>("cudnnBackendFinalize")(made);
  if (status != success)
    stop_misconfigured("cuDNN refuses the profile's device: " + last_error() + " (" + json + ")");
  return made;
}

int set_device_properties(Descriptor descriptor, int attribute) {
  static const Descriptor properties = make_device_properties();
  return real<SetAttribute>("cudnnBackendSetAttribute")(descriptor, attribute,
                                                        type_backend_descriptor, 1, &properties);
}

/// What has to be known of a descriptor that is alive.
struct Known {
  int type;
  bool executed = false;
};

class KnownDescriptors {
 public:
  void add(Descriptor descriptor, int type) {
    const std::lock_guard lock(mutex_);
    known_[descriptor] = {type};
  }
  void remove(Descriptor descriptor) {
    const std::lock_guard lock(mutex_);
    known_.erase(descriptor);
  }
  int type(Descriptor descriptor) {
    const std::lock_guard lock(mutex_);
    return known_[descriptor].type;
  }
  /// Whether this is the second time.
  bool mark_executed(Descriptor descriptor) {
    const std::lock_guard lock(mutex_);
    return std::exchange(known_[descriptor].executed, true);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Descriptor, Known> known_;
};

KnownDescriptors& descriptors() {
  static auto& instance = *new KnownDescriptors;
  return instance;
}

}  // namespace

SIMGPU_EXPORT int cudnnBackendCreateDescriptor(int type, Descriptor* descriptor) {
  const int status = real<int(int, Descriptor*)>(__func__)(type, descriptor);
  if (status == success) descriptors().add(*descriptor, type);
  return status;
}

SIMGPU_EXPORT int cudnnBackendDestroyDescriptor(Descriptor descriptor) {
  descriptors().remove(descriptor);
  return real<int(Descriptor)>(__func__)(descriptor);
}

SIMGPU_EXPORT int cudnnBackendSetAttribute(Descriptor descriptor, int attribute, int type,
                                           std::int64_t count, const void* elements) {
  if (attribute == operation_graph_handle || attribute == execution_plan_handle) return success;
  return real<SetAttribute>(__func__)(descriptor, attribute, type, count, elements);
}

SIMGPU_EXPORT int cudnnBackendFinalize(Descriptor descriptor) {
  int status = success;
  switch (descriptors().type(descriptor)) {
    case engine:
      status = set_device_properties(descriptor, engine_device_properties);
      break;
    case engine_heuristics:
      status = set_device_properties(descriptor, engine_heuristics_device_properties);
      break;
    case execution_plan:
      status = set_device_properties(descriptor, execution_plan_device_properties);
      break;
  }
  return status == success ? real<int(Descriptor)>(__func__)(descriptor) : status;
}

/// Torch makes a variant pack (the pointers of one call) for every call. Only a search for the
/// fastest plan executes one twice.
SIMGPU_EXPORT int cudnnBackendExecute(Handle* handle, Descriptor, Descriptor pointers) {
  if (descriptors().mark_executed(pointers)) refuse_search(__func__);
  return launch(handle);
}
