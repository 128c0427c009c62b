#pragma once

#include <string>

#include <torch/nn/module.h>

#include "harness/measure/operation_trace.hpp"

namespace highwater {

/// A layer that knows where in its model it stands, so that what it allocates can be told from what
/// its neighbours do.
class ScopedModule : public torch::nn::Module {
 public:
  void stand_at(std::string path) { path_ = std::move(path); }

 protected:
  /// To be held while the layer runs.
  ModuleScope scope() const { return ModuleScope(path_); }

 private:
  std::string path_;
};

/// "block0.norm1" -> "block.0.norm1", "layer0" -> "layer.0": the path of a module, spelled as
/// segments are. A number at the end of a longer path is part of the last name.
std::string module_path(const std::string& name);

/// Tells every such layer of a model its path.
void name_layers(torch::nn::Module& model);

}  // namespace highwater
