#pragma once

/// NVIDIA's own cuDNN, loaded from the folder SIMGPU_CUDNN_DIR at the first call that needs it: it
/// is some 400 MiB, and programs without convolutions do without. It plans for the profile's device
/// and never sees a handle, a stream or a device pointer.
namespace simgpu::cudnn {

/// The address of its function `name`. Ends the process with code 2 and a sentence that says what
/// to do when there is no usable cuDNN, or when this one lacks the function.
void* real_function(const char* name);

/// The same, called as `Signature`: real<Status(int)>("cudnnFoo")(1).
template <class Signature>
Signature* real(const char* name) {
  return reinterpret_cast<Signature*>(real_function(name));
}

}  // namespace simgpu::cudnn
