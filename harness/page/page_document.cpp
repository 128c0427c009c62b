#include "harness/page/page_document.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/measure/metric.hpp"
#include "harness/page/profile_table.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

const std::string kPeak = "peak_allocated_bytes";

Json metric_list() {
  Json list = Json::array();
  for (const Metric& metric : metrics()) {
    list.push_back(
        {{"id", metric.id}, {"unit", unit_name(metric.unit)}, {"meaning", metric.meaning}});
  }
  return list;
}

template <typename Row>
Json word_list(std::span<const Row> table) {
  Json list = Json::array();
  for (const Row& row : table) list.push_back({{"name", row.name}, {"meaning", row.meaning}});
  return list;
}

Json declaration_of(const TechniqueEntry& technique) {
  return {{"summary", technique.summary},   {"when", technique.when},
          {"cost", technique.cost},         {"relieves", technique.relieves},
          {"numerics", technique.numerics}, {"tolerance", technique.tolerance},
          {"leaks", technique.leaks},       {"edits", technique.edits}};
}

/// The techniques of "a+b:2": a and b. Records may hold any text there, so nothing is checked.
void add_names(std::string_view composition, std::set<std::string>& names) {
  while (!composition.empty()) {
    const std::string_view term = composition.substr(0, composition.find('+'));
    names.emplace(term.substr(0, term.find(':')));
    composition.remove_prefix(std::min(term.size() + 1, composition.size()));
  }
}

/// What the runs name, of all that the catalogue holds.
void write_declarations(std::span<const PageRun> runs, const Catalog& catalog, Json& document) {
  std::set<std::string> models;
  std::set<std::string> techniques;
  for (const PageRun& page : runs) {
    for (const CellRecord& record : page.run.cells) {
      models.insert(record.cell.model);
      add_names(record.cell.technique, techniques);
    }
  }
  document["models"] = Json::object();
  for (const ModelEntry& model : catalog.models) {
    if (models.contains(model.name)) document["models"][model.name] = model.summary;
  }
  document["techniques"] = Json::object();
  for (const TechniqueEntry& technique : catalog.techniques) {
    if (techniques.contains(technique.name)) {
      document["techniques"][technique.name] = declaration_of(technique);
    }
  }
}

/// Folded; empty where nobody knows it.
PeakProfile profile_of(const PageRun& page, const CellRecord& record) {
  if (!record.outcome.profile.empty()) return folded(record.outcome.profile);
  const auto file = page.baselines.find(page.run.header.testbeds.at(record.cell.device).id);
  if (file == page.baselines.end()) return {};
  const auto accepted = file->second.profiles.find(cell_id(record.cell));
  if (accepted == file->second.profiles.end()) return {};
  const bool is_of_this_peak = total_bytes(accepted->second) == metric_of(&record, kPeak);
  return is_of_this_peak ? folded(accepted->second) : PeakProfile{};
}

Json metric_values(const Measurement& values) {
  Json list = Json::array();
  for (const Metric& metric : metrics()) {
    const auto found = values.find(std::string(metric.id));
    list.push_back(found == values.end() ? Json() : Json(found->second));
  }
  while (!list.empty() && list.back().is_null()) list.erase(list.size() - 1);
  return list;
}

Json option_values(const Cell& cell) {
  Json options = Json::object();
  for (const CellField& field : cell_fields()) {
    const std::string value = field.get(cell);
    if (field.optional && !value.empty()) options[std::string(field.name)] = value;
  }
  return options;
}

void write_identity(const Cell& cell, Json& json) {
  json["cell"] = cell_id(cell);
  json["model"] = cell.model;
  json["preset"] = cell.preset;
  json["technique"] = cell.technique;
  json["device"] = cell.device;
  if (has_parameters(cell)) json["options"] = option_values(cell);
}

void write_outcome(const CellOutcome& outcome, Json& json) {
  json["outcome"] = to_text(outcome.kind);
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  if (outcome.certainty) json["certainty"] = to_text(*outcome.certainty);
  json["metrics"] = metric_values(outcome.metrics);
  if (!outcome.high.empty()) json["high"] = outcome.high;
  if (!outcome.attributes.empty()) json["attributes"] = outcome.attributes;
  if (!outcome.prediction.empty()) json["prediction"] = outcome.prediction;
  if (outcome.numerics) {
    json["numerics"] = {{"verdict", outcome.numerics->verdict},
                        {"detail", outcome.numerics->detail}};
  }
  for (const Promise& promise : outcome.promises) {
    json["promises"].push_back(
        {{"metric", promise.metric}, {"minimum_saving_bytes", promise.minimum_saving_bytes}});
  }
}

void write_verdict(const Verdict& verdict, Json& json) {
  json["verdict"] = verdict_row(verdict.kind).name;
  if (const std::string why = explanation(verdict); !why.empty()) json["why"] = why;
  for (const MetricLine& line : verdict.lines) {
    if (line.baseline && !line.broken && !line.beyond_anchor) {
      json["accepted"][line.metric] = line.baseline->low;
    }
  }
}

/// Places of the cells of a run, by id.
std::map<std::string, std::size_t> places_of(const RunRecord& run) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < run.cells.size(); ++i) places[cell_id(run.cells[i].cell)] = i;
  return places;
}

Json cell_list(const PageRun& page, ProfileTable& profiles) {
  Json list = Json::array();
  const auto places = places_of(page.run);
  for (const CellRecord& record : page.run.cells) {
    Json json;
    write_identity(record.cell, json);
    write_outcome(record.outcome, json);
    if (list.size() < page.verdicts.size()) write_verdict(page.verdicts[list.size()], json);
    if (const auto runs = profiles.add(profile_of(page, record)); !runs.empty()) {
      json["profile"] = runs;
      if (record.outcome.profile.empty()) json["profile_is_accepted"] = true;
    }
    const auto baseline = places.find(cell_id(baseline_cell_of(record.cell)));
    if (baseline != places.end()) json["baseline"] = baseline->second;
    list.push_back(std::move(json));
  }
  return list;
}

/// Cells that the run should hold and does not.
void add_missing(const PageRun& page, Json& list) {
  for (std::size_t i = page.run.cells.size(); i < page.verdicts.size(); ++i) {
    Json json;
    write_identity(parse_cell_id(page.verdicts[i].cell), json);
    json["outcome"] = "missing";
    json["metrics"] = Json::array();
    write_verdict(page.verdicts[i], json);
    list.push_back(std::move(json));
  }
}

Json run_facts(const PageRun& page, ProfileTable& profiles) {
  const RunHeader& header = page.run.header;
  Json json;
  json["label"] = page.label;
  json["suite"] = header.suite;
  json["created"] = header.created;
  json["versions"] = header.versions;
  json["testbeds"] = nlohmann::json(header.testbeds);
  json["narrowed"] = is_narrowed(header);
  json["cells"] = cell_list(page, profiles);
  add_missing(page, json["cells"]);
  return json;
}

}  // namespace

Json page_document(std::span<const PageRun> runs, const Catalog& catalog) {
  Json document;
  document["schema"] = kPageSchema;
  document["metrics"] = metric_list();
  document["verdicts"] = word_list(verdict_table());
  document["certainties"] = word_list(certainty_table());
  write_declarations(runs, catalog, document);
  ProfileTable profiles;
  Json list = Json::array();
  for (const PageRun& page : runs) list.push_back(run_facts(page, profiles));
  profiles.write(document);
  document["runs"] = std::move(list);
  return document;
}

}  // namespace highwater
