#pragma once

#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/workload/batch.hpp"

namespace highwater {

/// Makes the hooks of one saved tensor. Called once for each tensor that autograd saves.
using SavedTensorHooksFactory =
    std::function<std::unique_ptr<torch::autograd::SavedVariableHooks>()>;

/// What is done to every tensor that a forward saves for backward, such as moving it to the host.
class SavedTensorPacking {
 public:
  virtual ~SavedTensorPacking() = default;
  virtual std::string name() const = 0;
  /// Whether nothing of a saved tensor stays on its device: what closed forms can be built on. No
  /// device but the cpu's is the host.
  virtual bool empties_the_device() const { return false; }
  /// What saved values are rounded to; absent where backward gets back what forward gave.
  virtual std::optional<at::ScalarType> rounds_to() const { return std::nullopt; }
  /// The hooks of one forward; what they share (a tensor saved twice is packed once) lives as long
  /// as the factory and the hooks it made. `resident` are the tensors that stay alive on the device
  /// whether or not they are saved (parameters, buffers, the batch): packing them frees nothing.
  virtual SavedTensorHooksFactory hooks_of_a_forward(const Tensors& resident) const = 0;
};

/// While it lives, every tensor that autograd saves on this thread goes through hooks from
/// `factory`; the innermost guard wins. This is Python's `saved_tensors_hooks` for C++: LibTorch's
/// own default hooks accept Python objects only, so the autograd engine is subclassed instead.
/// Hooks get the tensor itself, with its graph: they must not modify it, and detach what they keep.
class SavedTensorHooksGuard {
 public:
  explicit SavedTensorHooksGuard(SavedTensorHooksFactory factory);
  ~SavedTensorHooksGuard();
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;
  SavedTensorHooksGuard& operator=(const SavedTensorHooksGuard&) = delete;
};

}  // namespace highwater
