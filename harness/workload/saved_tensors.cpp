#include "harness/workload/saved_tensors.hpp"

#include <torch/csrc/autograd/engine.h>

#include <vector>

namespace highwater {
namespace {

using torch::autograd::Engine;
using torch::autograd::SavedVariableHooks;

thread_local std::vector<SavedTensorHooksFactory> factories;

class HookEngine final : public Engine {
 public:
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return factories.empty() ? nullptr : factories.back()();
  }
};

// Leaked: the engine's device threads outlive main, and destroying an engine under them aborts.
Engine& hook_engine() {
  static auto* engine = new HookEngine;
  return *engine;
}

const bool kInstalled = [] {
  torch::autograd::set_default_engine_stub(&hook_engine);
  return true;
}();

}  // namespace

SavedTensorHooksGuard::SavedTensorHooksGuard(SavedTensorHooksFactory factory) {
  factories.push_back(std::move(factory));
}

SavedTensorHooksGuard::~SavedTensorHooksGuard() { factories.pop_back(); }

}  // namespace highwater
