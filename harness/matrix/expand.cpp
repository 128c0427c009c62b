#include "harness/matrix/expand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/core/composition.hpp"
#include "harness/core/error.hpp"
#include "harness/core/glob.hpp"
#include "harness/core/nearest.hpp"
#include "harness/matrix/device.hpp"

namespace highwater {
namespace {

template <typename T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!contains(names, name)) names.push_back(name);
}

template <typename Entry>
std::vector<std::string> tagged(const std::vector<std::string>& tags,
                                const std::vector<Entry>& entries) {
  std::set<std::string> known;
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    known.insert(entry.tags.begin(), entry.tags.end());
    const bool taken =
        std::ranges::any_of(tags, [&](const auto& tag) { return contains(entry.tags, tag); });
    if (taken) names.push_back(entry.name);
  }
  for (const std::string& tag : tags) {
    if (!known.contains(tag))
      throw UsageError(unknown_name("tag", tag, {known.begin(), known.end()}));
  }
  return names;
}

void check_known(std::string_view kind, const std::string& name,
                 const std::vector<std::string>& known) {
  if (!contains(known, name)) throw UsageError(unknown_name(kind, name, known));
}

const CellField& field_named(const std::string& name) {
  const auto fields = cell_fields();
  const auto found = std::ranges::find(fields, name, &CellField::name);
  if (found == fields.end()) throw InternalError("no cell field is called " + name);
  return *found;
}

std::vector<Cell> product(const std::vector<Axis>& axes) {
  std::vector<Cell> cells(1);
  for (const Axis& axis : axes) {
    const CellField& field = field_named(axis.field);
    std::vector<Cell> longer;
    for (const Cell& cell : cells) {
      for (const std::string& value : axis.values) {
        longer.push_back(cell);
        field.set(longer.back(), value);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

std::string missing_ability(const Cell& cell, const Catalog& catalog) {
  const ModelEntry& model = find_model(catalog, cell.model);
  for (const ConditionalAbility& ability : kind_of_device(cell.device).conditional) {
    const bool needed = contains(model.needs, std::string(ability.name));
    if (needed && !ability.is_there()) return std::string(ability.reason);
  }
  return {};
}

std::vector<TechniqueEntry> techniques_of(const Cell& cell, const Catalog& catalog) {
  std::vector<TechniqueEntry> techniques;
  for (const TechniqueTerm& term : parse_composition(cell.technique)) {
    techniques.push_back(find_technique(catalog, term.name));
  }
  return techniques;
}

std::string missing_handle(const Cell& cell, const Catalog& catalog) {
  const ModelEntry& model = find_model(catalog, cell.model);
  for (const TechniqueEntry& technique : techniques_of(cell, catalog)) {
    for (const std::string& need : technique.needs) {
      if (contains(model.abilities, need)) continue;
      return fmt::format("{} has no {} to take hold of", model.name, need);
    }
  }
  return {};
}

std::string idle_on_cpu(const Cell& cell, const Catalog& catalog) {
  if (device_kind(cell.device) != "cpu") return {};
  for (const TechniqueEntry& technique : techniques_of(cell, catalog)) {
    if (technique.not_on_cpu.empty()) continue;
    return fmt::format("{} does nothing on the cpu: {}", technique.name, technique.not_on_cpu);
  }
  return {};
}

std::string missing_preset(const Cell& cell, const Catalog& catalog) {
  const ModelEntry& model = find_model(catalog, cell.model);
  if (contains(model.presets, cell.preset)) return {};
  return fmt::format("{} has no preset \"{}\" (it has {})", model.name, cell.preset,
                     fmt::join(model.presets, ", "));
}

std::string fixed_capacity(const Cell& cell, const Catalog&) {
  if (!cell.capacity || kind_of_device(cell.device).takes_capacity) return {};
  return fmt::format("the memory of {} cannot be set: --capacity needs a simulated GPU",
                     cell.device);
}

std::string clash(const TechniqueEntry& a, const TechniqueEntry& b) {
  for (const std::string& edit : a.edits) {
    if (contains(b.edits, edit)) {
      return fmt::format("{} and {} both change {}", a.name, b.name, edit);
    }
  }
  if (contains(a.excludes, b.name)) return fmt::format("{} excludes {}", a.name, b.name);
  if (contains(b.excludes, a.name)) return fmt::format("{} excludes {}", b.name, a.name);
  return {};
}

std::string clashing_techniques(const Cell& cell, const Catalog& catalog) {
  const auto techniques = techniques_of(cell, catalog);
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    for (std::size_t j = i + 1; j < techniques.size(); ++j) {
      const auto reason = clash(techniques[i], techniques[j]);
      if (!reason.empty()) return reason;
    }
  }
  return {};
}

constexpr std::array kObstacles = {&clashing_techniques, &missing_ability, &missing_handle,
                                   &idle_on_cpu,         &missing_preset,  &fixed_capacity};

/// The presets in which a cell's technique is at home; baseline stands beside all of them.
std::vector<std::string> scenarios_of(const Cell& cell, const Catalog& catalog) {
  const std::string own(kind_of_device(cell.device).default_preset);
  if (own != "full") return {own};
  if (cell.technique == kBaselineTechnique) return {"full", "small"};
  return {techniques_of(cell, catalog).front().scenario};
}

void check_number(const TechniqueTerm& term, const ParameterEntry& parameter) {
  if (!term.value) return;
  const std::string text = fmt::format("technique \"{}:{}\"", term.name, *term.value);
  if (parameter.name.empty()) {
    throw UsageError(fmt::format("{}: {} takes no number", text, term.name));
  }
  if (*term.value < parameter.smallest) {
    throw UsageError(
        fmt::format("{}: the least {} is {}", text, parameter.name, parameter.smallest));
  }
  if (*term.value == parameter.value) {
    throw UsageError(
        fmt::format("{} is {} by its bare name; leave out the number", text, term.name));
  }
}

bool matches_any(const std::string& id, const std::vector<std::string>& globs) {
  return std::ranges::any_of(globs,
                             [&](const std::string& glob) { return matches_glob(glob, id); });
}

}  // namespace

std::vector<std::string> select_models(const Selection& selection, const Catalog& catalog) {
  auto names = tagged(selection.tags, catalog.models);
  for (const std::string& name : selection.names) add_once(names, find_model(catalog, name).name);
  return names;
}

std::vector<std::string> select_techniques(const Selection& selection, const Catalog& catalog) {
  auto names = tagged(selection.tags, catalog.techniques);
  for (const std::string& name : selection.names) {
    check_technique(name, catalog);
    add_once(names, name);
  }
  return names;
}

std::vector<std::string> select_presets(const std::vector<std::string>& presets,
                                        const Catalog& catalog) {
  std::vector<std::string> known;
  for (const ModelEntry& model : catalog.models) {
    for (const std::string& preset : model.presets) add_once(known, preset);
  }
  std::vector<std::string> names;
  known.emplace_back(kScenarioPreset);
  for (const std::string& preset : presets) {
    check_known("preset", preset, known);
    add_once(names, preset);
  }
  return names;
}

void check_technique(const std::string& technique, const Catalog& catalog) {
  const auto terms = parse_composition(technique);
  for (const TechniqueTerm& term : terms) {
    check_number(term, find_technique(catalog, term.name).parameter);
    if (std::ranges::count(terms, term.name, &TechniqueTerm::name) > 1) {
      throw UsageError(fmt::format("technique \"{}\" names {} twice", technique, term.name));
    }
  }
  const auto baseline = std::ranges::find(terms, kBaselineTechnique, &TechniqueTerm::name);
  if (terms.size() > 1 && baseline != terms.end()) {
    throw UsageError(fmt::format(
        "technique \"{}\": baseline changes nothing and is not combined with others", technique));
  }
}

void check_cell(const Cell& cell, const Catalog& catalog, const std::vector<std::string>& devices) {
  check_known("preset", cell.preset, find_model(catalog, cell.model).presets);
  check_technique(cell.technique, catalog);
  check_known("device", cell.device, devices);
}

std::string skip_reason(const Cell& cell, const Catalog& catalog) {
  for (const auto& obstacle : kObstacles) {
    if (std::string reason = obstacle(cell, catalog); !reason.empty()) return reason;
  }
  return {};
}

std::vector<PlannedCell> expand(const std::vector<Axis>& axes, const Catalog& catalog) {
  std::vector<PlannedCell> planned;
  std::set<std::string> ids;
  for (Cell& cell : product(axes)) {
    if (cell.preset.empty()) cell.preset = kind_of_device(cell.device).default_preset;
    const std::vector<std::string> presets =
        cell.preset == kScenarioPreset ? scenarios_of(cell, catalog) : std::vector{cell.preset};
    for (const std::string& preset : presets) {
      cell.preset = preset;
      if (ids.insert(cell_id(cell)).second) planned.push_back({cell, skip_reason(cell, catalog)});
    }
  }
  return planned;
}

std::vector<PlannedCell> filter_cells(std::vector<PlannedCell> cells,
                                      const std::vector<std::string>& globs) {
  if (globs.empty()) return cells;
  std::vector<std::string> ids;
  for (const PlannedCell& planned : cells) ids.push_back(cell_id(planned.cell));
  std::erase_if(cells,
                [&](const auto& planned) { return !matches_any(cell_id(planned.cell), globs); });
  if (cells.empty()) {
    throw UsageError(
        fmt::format("no cell matches the filter {}; there are {} cells, the first is {}",
                    fmt::join(globs, ", "), ids.size(), ids.empty() ? "-" : ids.front()));
  }
  return cells;
}

}  // namespace highwater
