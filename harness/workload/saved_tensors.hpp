#pragma once

#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <functional>
#include <memory>
#include <string>

namespace highwater {

/// Makes the hooks of one saved tensor. Called once for each tensor that autograd saves.
using SavedTensorHooksFactory =
    std::function<std::unique_ptr<torch::autograd::SavedVariableHooks>()>;

/// What is done to every tensor that a forward saves for backward, such as moving it to the host.
class SavedTensorPacking {
 public:
  virtual ~SavedTensorPacking() = default;
  virtual std::string name() const = 0;
  /// The hooks of one forward; what they share (a tensor saved twice is packed once) lives as long
  /// as the factory and the hooks it made.
  virtual SavedTensorHooksFactory hooks_of_a_forward() const = 0;
};

/// While it lives, every tensor that autograd saves on this thread goes through hooks from
/// `factory`; the innermost guard wins. This is Python's `saved_tensors_hooks` for C++: LibTorch's
/// own default hooks accept Python objects only, so the autograd engine is subclassed instead.
class SavedTensorHooksGuard {
 public:
  explicit SavedTensorHooksGuard(SavedTensorHooksFactory factory);
  ~SavedTensorHooksGuard();
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;
  SavedTensorHooksGuard& operator=(const SavedTensorHooksGuard&) = delete;
};

}  // namespace highwater
