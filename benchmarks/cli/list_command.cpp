#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/selection.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/matrix/device.hpp"
#include "harness/measure/metric.hpp"
#include "harness/run/outcome.hpp"

namespace highwater::cli {
namespace {

struct ListFlags : SelectionFlags {
  std::string what = "cells";
  std::string format = "text";
};

/// A listing is a JSON array of objects; the text form prints their "name" and "summary".
using Listing = nlohmann::json (*)(const ListFlags&, const InstallPaths&);

nlohmann::json list_models(const ListFlags&, const InstallPaths& paths) {
  return nlohmann::json(read_catalog(paths.catalog.string())).at("models");
}

nlohmann::json list_techniques(const ListFlags&, const InstallPaths& paths) {
  return nlohmann::json(read_catalog(paths.catalog.string())).at("techniques");
}

nlohmann::json list_devices(const ListFlags&, const InstallPaths& paths) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& name : device_names(paths.profiles)) {
    rows.push_back({{"name", name}, {"summary", kind_of_device(name).meaning}});
  }
  return rows;
}

nlohmann::json list_suites(const ListFlags&, const InstallPaths& paths) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& name : suite_names(paths.suites)) {
    rows.push_back({{"name", name}, {"summary", read_suite(paths.suites, name).summary}});
  }
  return rows;
}

nlohmann::json list_certainties(const ListFlags&, const InstallPaths&) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CertaintyRow& row : certainty_table()) {
    rows.push_back({{"name", row.name}, {"summary", row.meaning}});
  }
  return rows;
}

nlohmann::json list_metrics(const ListFlags&, const InstallPaths&) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Metric& metric : metrics()) {
    nlohmann::json gated = nlohmann::json::array();
    for (const DeviceKind& kind : device_kinds()) {
      if (is_gated(metric, kind.kind)) gated.push_back(kind.kind);
    }
    rows.push_back({{"name", metric.id},
                    {"summary", metric.meaning},
                    {"unit", unit_name(metric.unit)},
                    {"kind", metric.kind == MetricKind::exact ? "exact" : "noisy"},
                    {"gated_on", gated}});
  }
  return rows;
}

// Cells in text form are bare ids, one a line, for scripts.
nlohmann::json list_cells(const ListFlags& flags, const InstallPaths& paths) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PlannedCell& planned : make_plan(flags, paths).cells) {
    nlohmann::json row = planned.cell;
    row["name"] = cell_id(planned.cell);
    row["skip_reason"] = planned.skip_reason;
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr std::array<std::pair<std::string_view, Listing>, 7> kListings = {{
    {"models", &list_models},
    {"techniques", &list_techniques},
    {"devices", &list_devices},
    {"suites", &list_suites},
    {"cells", &list_cells},
    {"metrics", &list_metrics},
    {"certainties", &list_certainties},
}};

Listing find_listing(const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, listing] : kListings) {
    if (name == what) return listing;
    names.emplace_back(name);
  }
  throw UsageError(unknown_name("listing", what, names));
}

std::string text_of(const nlohmann::json& rows) {
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row.at("name").get<std::string>().size());
  std::string text;
  for (const auto& row : rows) {
    const auto name = row.at("name").get<std::string>();
    const auto summary = row.value("summary", std::string());
    text += summary.empty() ? name + "\n" : fmt::format("{:<{}}  {}\n", name, widest, summary);
  }
  return text;
}

bool is_given_selection(const CLI::Option* option) {
  constexpr std::array<std::string_view, 3> kOwn = {"what", "--format", "--help"};
  const bool own = std::ranges::any_of(
      kOwn, [&](std::string_view name) { return option->check_name(std::string(name)); });
  return !own && option->count() > 0;
}

// Flags that a listing does not look at would be believed to have been looked at.
ExitCode list(const ListFlags& flags, bool selects) {
  const Listing listing = find_listing(flags.what);
  if (selects && listing != &list_cells) {
    throw UsageError("flags that select cells are for `list cells`; list " + flags.what +
                     " shows all there are");
  }
  const nlohmann::json rows = listing(flags, install_paths());
  std::cout << (flags.format == "json" ? rows.dump(2) + "\n" : text_of(rows));
  return ExitCode::ok;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "list", "what there is: cells, models, techniques, devices, suites, metrics, certainties");
  auto flags = std::make_shared<ListFlags>();
  command->add_option(
      "what", flags->what,
      "models, techniques, devices, suites, cells, metrics or certainties (default: cells)");
  command->add_option("--format", flags->format, "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}));
  add_selection_flags(*command, *flags);
  command->callback([&action, flags, command] {
    const bool selects = std::ranges::any_of(command->get_options(), is_given_selection);
    action = [flags, selects] { return list(*flags, selects); };
  });
}

}  // namespace highwater::cli
