#include "harness/workload/registry.hpp"

#include <algorithm>

#include "harness/core/composition.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/workload/layers.hpp"

namespace highwater {
namespace {

template <class Declaration>
constexpr const char* kKind = "";
template <>
constexpr const char* kKind<ModelDeclaration> = "model";
template <>
constexpr const char* kKind<TechniqueDeclaration> = "technique";

/// Preset "small" is "full" with another batch.
ModelOptions as_full(ModelOptions options, const ModelDeclaration& declaration) {
  if (options.preset != "small") return options;
  options.preset = "full";
  options.batch = options.batch.value_or(declaration.small_batch);
  return options;
}

/// Whether the model is built with other weights than its declaration counts.
bool changes_parameters(const ModelVariant& variant) {
  return variant.width_divisor != 1 || variant.depth_divisor != 1 || variant.small_kernels;
}

void set_parameter(TechniqueDeclaration& technique, std::int64_t value) {
  if (!technique.parameter) throw UsageError(technique.name + " takes no number");
  technique.parameter->value = value;
}

void check_count(const Model& model, std::int64_t expected, const std::string& name) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  if (count == expected) return;
  throw InternalError(name + " has " + std::to_string(count) + " parameters; its file declares " +
                      std::to_string(expected));
}

}  // namespace

template <class Declaration>
Registry<Declaration>& Registry<Declaration>::instance() {
  static Registry registry;
  return registry;
}

template <class Declaration>
void Registry<Declaration>::add(Declaration declaration) {
  const auto place =
      std::ranges::lower_bound(declarations_, declaration.name, {}, &Declaration::name);
  if (place != declarations_.end() && place->name == declaration.name) {
    throw InternalError(std::string("two files register the ") + kKind<Declaration> + " \"" +
                        declaration.name + "\"");
  }
  declarations_.insert(place, std::move(declaration));
}

template <class Declaration>
const Declaration& Registry<Declaration>::find(const std::string& name) const {
  const auto row = std::ranges::find(declarations_, name, &Declaration::name);
  if (row != declarations_.end()) return *row;
  std::vector<std::string> names;
  for (const Declaration& declaration : declarations_) names.push_back(declaration.name);
  throw UsageError(unknown_name(kKind<Declaration>, name, names));
}

template class Registry<ModelDeclaration>;
template class Registry<TechniqueDeclaration>;

RegisterModel::RegisterModel(ModelDeclaration declaration) {
  declaration.parameters.emplace("small", declaration.parameters.at("full"));
  ModelRegistry::instance().add(std::move(declaration));
}

RegisterTechnique::RegisterTechnique(TechniqueDeclaration declaration) {
  TechniqueRegistry::instance().add(std::move(declaration));
}

std::shared_ptr<Model> make_model(const std::string& name, const ModelOptions& options) {
  const ModelDeclaration& declaration = ModelRegistry::instance().find(name);
  const auto expected = declaration.parameters.find(options.preset);
  if (expected == declaration.parameters.end()) {
    std::vector<std::string> presets;
    for (const auto& [preset, count] : declaration.parameters) presets.push_back(preset);
    throw UsageError(unknown_name("preset of " + name, options.preset, presets));
  }
  std::shared_ptr<Model> model = declaration.make(as_full(options, declaration));
  if (!changes_parameters(options.variant)) {
    check_count(*model, expected->second, name + "/" + options.preset);
  }
  adapt_linear_layers(*model, options.variant);
  name_layers(*model);
  return model;
}

std::vector<TechniqueDeclaration> parse_techniques(const std::string& composition) {
  std::vector<TechniqueDeclaration> techniques;
  for (const TechniqueTerm& term : parse_composition(composition)) {
    techniques.push_back(TechniqueRegistry::instance().find(term.name));
    if (term.value) set_parameter(techniques.back(), *term.value);
  }
  return techniques;
}

StepPlan make_plan(const std::vector<TechniqueDeclaration>& techniques) {
  StepPlan plan;
  for (const TechniqueDeclaration& technique : techniques) {
    technique.edit(plan);
    if (const auto& number = technique.parameter) number->edit(plan, number->value);
  }
  return plan;
}

}  // namespace highwater
