#include "harness/run/catalog_export.hpp"

#include <algorithm>

#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

ModelEntry entry(const ModelDeclaration& model) {
  ModelEntry entry{.name = model.name,
                   .summary = model.summary,
                   .tags = model.tags,
                   .presets = {},
                   .needs = model.needs,
                   .abilities = model.abilities};
  for (const auto& [preset, count] : model.parameters) entry.presets.push_back(preset);
  return entry;
}

ParameterEntry entry(const std::optional<TechniqueParameter>& parameter) {
  if (!parameter) return {};
  return {.name = parameter->name,
          .meaning = parameter->meaning,
          .value = parameter->value,
          .smallest = parameter->smallest};
}

/// What a technique edits is observed, not declared: it cannot be forgotten.
TechniqueEntry entry(const TechniqueDeclaration& technique) {
  return {.name = technique.name,
          .summary = technique.summary,
          .relieves = technique.relieves,
          .scenario = technique.scenario,
          .when = technique.when,
          .cost = technique.cost,
          .numerics = to_text(technique.numerics),
          .tolerance = technique.tolerance,
          .leaks = technique.leaks,
          .source = technique.source,
          .tags = technique.tags,
          .edits = differing_fields(StepPlan{}, make_plan({technique})),
          .excludes = technique.excludes,
          .needs = technique.needs,
          .parameter = entry(technique.parameter),
          .not_on_cpu = technique.not_on_cpu};
}

}  // namespace

Catalog export_catalog() {
  Catalog catalog;
  for (const auto& model : ModelRegistry::instance().all()) catalog.models.push_back(entry(model));
  for (const auto& technique : TechniqueRegistry::instance().all()) {
    catalog.techniques.push_back(entry(technique));
  }
  std::ranges::stable_partition(catalog.techniques, [](const TechniqueEntry& technique) {
    return technique.name == "baseline";
  });
  return catalog;
}

}  // namespace highwater
