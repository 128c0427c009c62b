#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"

/// The few types of cuDNN's C interface that the stand-in looks at, declared from its documentation
/// (https://docs.nvidia.com/deeplearning/cudnn/backend/latest/api/cudnn-graph-library.html): its
/// own headers are not in the wheels this is built from. Enumerations are C ints.
namespace simgpu::cudnn {

enum Status : int { success = 0, execution_failed = 5000 };

enum DescriptorType : int {
  engine = 2,
  engine_heuristics = 4,
  execution_plan = 5,
  variant_pack = 16,
  device_properties = 38,
};

enum Attribute : int {
  engine_heuristics_device_properties = 204,
  execution_plan_handle = 400,
  execution_plan_device_properties = 407,
  operation_graph_handle = 800,
  engine_device_properties = 1307,
  device_properties_json = 2702,
};

enum AttributeType : int { type_backend_descriptor = 15, type_char = 24 };

using Descriptor = void*;  // cudnnBackendDescriptor_t
using TensorDescriptor = void*;

/// What a program can set on a handle and ask back.
struct Handle {
  void* stream = nullptr;
};

/// Puts a routine's work into the handle's stream.
int launch(const Handle* handle);

}  // namespace simgpu::cudnn

/// Defines an entry point that would launch kernels in its handle's stream: counted, successful,
/// nothing computed. Its other arguments are not looked at.
#define SIMGPU_EXPORT_LAUNCH(name)                             \
  SIMGPU_EXPORT int name(simgpu::cudnn::Handle* handle, ...) { \
    return simgpu::cudnn::launch(handle);                      \
  }
