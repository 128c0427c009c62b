#include "harness/workload/scoped_module.hpp"

#include <regex>

namespace highwater {

std::string module_path(const std::string& name) {
  static const std::regex inside("([a-z])([0-9]+)(?=\\.)");
  static const std::regex whole("^([a-z]+)([0-9]+)$");
  return std::regex_replace(std::regex_replace(name, inside, "$1.$2"), whole, "$1.$2");
}

void name_layers(torch::nn::Module& model) {
  for (const auto& module : model.named_modules("", /*include_self=*/false)) {
    const auto layer = std::dynamic_pointer_cast<ScopedModule>(module.value());
    if (layer != nullptr) layer->stand_at(module_path(module.key()));
  }
}

}  // namespace highwater
