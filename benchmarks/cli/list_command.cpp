#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/launch/installed_catalog.hpp"
#include "harness/matrix/device.hpp"
#include "harness/measure/metric.hpp"
#include "harness/report/table.hpp"
#include "harness/run/outcome.hpp"

namespace highwater::cli {
namespace {

struct ListFlags : SelectionFlags {
  std::string what = "cells";
  std::string format = "text";
};

/// A listing is a JSON array of objects; the text form prints some of their keys.
struct Listing {
  std::string_view name;
  nlohmann::json (*rows)(const ListFlags&, const InstallPaths&);
  std::vector<std::string> keys = {"name", "summary"};
};

nlohmann::json list_models(const ListFlags&, const InstallPaths& paths) {
  return nlohmann::json(installed_catalog(paths, stop_flag())).at("models");
}

nlohmann::json list_techniques(const ListFlags&, const InstallPaths& paths) {
  return nlohmann::json(installed_catalog(paths, stop_flag())).at("techniques");
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

const std::array kListings = {
    Listing{"models", &list_models, {"name", "abilities", "summary"}},
    Listing{"techniques", &list_techniques, {"name", "scenario", "numerics", "summary"}},
    Listing{"devices", &list_devices},
    Listing{"suites", &list_suites},
    Listing{"cells", &list_cells, {"name"}},
    Listing{"metrics", &list_metrics},
    Listing{"certainties", &list_certainties},
};

const Listing& find_listing(const std::string& what) {
  std::vector<std::string> names;
  for (const Listing& listing : kListings) {
    if (listing.name == what) return listing;
    names.emplace_back(listing.name);
  }
  throw UsageError(unknown_name("listing", what, names));
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
}

// Scripts read the name alone, or the first word of name and summary: headings come with more.
std::string text_of(const Listing& listing, const nlohmann::json& rows) {
  Table table;
  for (const std::string& key : listing.keys) table.columns.push_back({key});
  for (const auto& row : rows) {
    auto& texts = table.rows.emplace_back();
    for (const std::string& key : listing.keys) texts.push_back(text_of(row.at(key)));
  }
  const std::string text = to_text(table);
  return listing.keys.size() > 2 ? text : text.substr(text.find('\n') + 1);
}

bool is_given_selection(const CLI::Option* option) {
  constexpr std::array<std::string_view, 4> kOwn = {"what", "--format", "--plugin", "--help"};
  const bool own = std::ranges::any_of(
      kOwn, [&](std::string_view name) { return option->check_name(std::string(name)); });
  return !own && option->count() > 0;
}

// Flags that a listing does not look at would be believed to have been looked at.
ExitCode list(const ListFlags& flags, bool selects) {
  const Listing& listing = find_listing(flags.what);
  if (selects && listing.rows != &list_cells) {
    throw UsageError("flags that select cells are for `list cells`; list " + flags.what +
                     " shows all there are");
  }
  const nlohmann::json rows = listing.rows(flags, install_paths());
  std::cout << (flags.format == "json" ? rows.dump(2) + "\n" : text_of(listing, rows));
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
