#include "benchmarks/cli/selection.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/error.hpp"
#include "harness/launch/installed_catalog.hpp"
#include "harness/matrix/device.hpp"

namespace highwater::cli {
namespace {

std::vector<Axis> axes_of(const SelectionFlags& flags, const SuiteConfig& suite,
                          const std::vector<std::string>& devices, const Catalog& catalog) {
  const Selection models = flags.models.empty() ? suite.models : Selection{{}, flags.models};
  const Selection techniques =
      flags.techniques.empty() ? suite.techniques : Selection{{}, flags.techniques};
  std::vector<Axis> axes = {{"model", select_models(models, catalog)}, {"device", devices}};
  if (!suite.presets.empty()) axes.push_back({"preset", select_presets(suite.presets, catalog)});
  axes.push_back({"technique", select_techniques(techniques, catalog)});
  if (flags.batch) axes.push_back({"batch", {std::to_string(*flags.batch)}});
  if (!flags.capacity.empty()) axes.push_back({"capacity", {flags.capacity}});
  return axes;
}

// Where a GPU is promised, a simulated one in its place would make every check green for nothing.
bool accelerator_is_real() {
  const char* required = std::getenv("HIGHWATER_REQUIRE_GPU");
  const bool present = nvidia_driver_present();
  if (!present && required != nullptr && std::string_view(required) == "1") {
    throw Error(ExitCode::cell_error,
                "HIGHWATER_REQUIRE_GPU=1 promises a GPU, but no NVIDIA driver is loaded here; load "
                "it, or unset the variable");
  }
  return present;
}

// One value a flag, or several with commas: greedy flags would swallow positional arguments.
void add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                    const std::string& meaning) {
  app.add_option(name, target, meaning)->delimiter(',')->allow_extra_args(false);
}

std::string size_error(const std::string& text) {
  try {
    return parse_bytes(text) >= 1 ? "" : "write at least one byte";
  } catch (const UsageError& error) {
    return error.what();
  }
}

/// The cells of a suite that names them, each once.
std::vector<PlannedCell> published_cells(const SelectionFlags& flags, const SuiteConfig& suite,
                                         const Catalog& catalog,
                                         const std::vector<std::string>& known_devices) {
  if (!flags.devices.empty() || !flags.models.empty() || !flags.techniques.empty() ||
      !flags.capacity.empty() || flags.batch) {
    throw UsageError("suite " + suite.name +
                     " names its cells one by one, each as its source describes it; choose among "
                     "them with --filter");
  }
  std::vector<PlannedCell> cells;
  for (const PublishedNumber& number : suite.published) {
    for (const std::string& id : {number.cell, number.against}) {
      if (id.empty()) continue;
      const Cell cell = parse_cell_id(id);
      if (std::ranges::find(cells, cell, &PlannedCell::cell) != cells.end()) continue;
      check_cell(cell, catalog, known_devices);
      cells.push_back({cell, skip_reason(cell, catalog)});
    }
  }
  return cells;
}

std::vector<std::string> devices_of(const std::vector<PlannedCell>& cells) {
  std::vector<std::string> devices;
  for (const PlannedCell& planned : cells) {
    const std::string& device = planned.cell.device;
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  return devices;
}

}  // namespace

void add_selection_flags(CLI::App& app, SelectionFlags& flags) {
  app.add_option("--suite", flags.suite,
                 "named selection of cells, or its file *.toml (default: default)");
  add_repeatable(app, "--device", flags.devices,
                 "cuda, cpu, sim:<profile> or accelerator, instead of the suite's; repeatable");
  add_repeatable(app, "--model", flags.models, "model instead of the suite's; repeatable");
  add_repeatable(
      app, "--technique", flags.techniques,
      "technique, or several joined by '+', some with a number (gradient_accumulation:8), "
      "instead of the suite's; repeatable");
  add_repeatable(app, "--filter", flags.filters,
                 "keep cells whose id matches this glob; repeatable");
  add_cell_parameters(app, flags.capacity, flags.batch);
  add_plugin_flag(app);
}

void add_plugin_flag(CLI::App& app) {
  const auto set = [](const std::vector<std::string>& files) {
    ::setenv(kPluginsVariable, fmt::format("{}", fmt::join(files, ":")).c_str(), 1);
  };
  app.add_option_function<std::vector<std::string>>(
         "--plugin", set, "library with models and techniques of your own; repeatable")
      ->allow_extra_args(false);
}

void add_cell_parameters(CLI::App& app, std::string& capacity, std::optional<std::int64_t>& batch) {
  app.add_option("--capacity", capacity, "memory of the simulated GPU, such as 500MiB")
      ->check(&size_error);
  app.add_option("--batch", batch, "samples a step, instead of the preset's")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
}

void require_runnable(const Cell& cell, const InstallPaths& paths, const std::string& refusal) {
  const Catalog catalog = installed_catalog(paths, stop_flag());
  check_cell(cell, catalog, device_names(paths.profiles));
  if (const std::string reason = skip_reason(cell, catalog); !reason.empty()) {
    throw Error(ExitCode::skipped, cell_id(cell) + " " + refusal + ": " + reason);
  }
}

Plan make_plan(const SelectionFlags& flags, const InstallPaths& paths) {
  const Catalog catalog = installed_catalog(paths, stop_flag());
  Plan plan{.suite = read_suite(paths.suites, flags.suite), .devices = {}, .cells = {}};
  const auto known_devices = device_names(paths.profiles);
  if (!plan.suite.published.empty()) {
    plan.cells =
        filter_cells(published_cells(flags, plan.suite, catalog, known_devices), flags.filters);
    plan.devices = devices_of(plan.cells);
    plan.narrowed = !flags.filters.empty();
    return plan;
  }
  plan.devices = resolve_devices(flags.devices.empty() ? plan.suite.devices : flags.devices,
                                 known_devices, accelerator_is_real());
  plan.cells = filter_cells(expand(axes_of(flags, plan.suite, plan.devices, catalog), catalog),
                            flags.filters);
  plan.narrowed = !flags.models.empty() || !flags.techniques.empty() || !flags.filters.empty() ||
                  !flags.capacity.empty() || flags.batch;
  return plan;
}

nlohmann::json selection_json(const SelectionFlags& flags, const Plan& plan) {
  nlohmann::json json = {{"devices", plan.devices},
                         {"models", flags.models},
                         {"techniques", flags.techniques},
                         {"filters", flags.filters},
                         {"narrowed", plan.narrowed}};
  if (!flags.capacity.empty()) json["capacity_bytes"] = parse_bytes(flags.capacity);
  if (flags.batch) json["batch"] = *flags.batch;
  return json;
}

}  // namespace highwater::cli
