#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/config/suite_config.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/matrix/expand.hpp"

namespace CLI {
class App;
}

namespace highwater::cli {

/// Flags that choose cells; an empty one leaves the suite's choice.
struct SelectionFlags {
  std::string suite = "default";  ///< name of one here, or a file *.toml
  std::vector<std::string> devices;
  std::vector<std::string> models;
  std::vector<std::string> techniques;
  std::vector<std::string> filters;
  std::string capacity;
  std::optional<std::int64_t> batch;
};

void add_selection_flags(CLI::App& app, SelectionFlags& flags);

/// --capacity and --batch: the optional fields of a cell.
void add_cell_parameters(CLI::App& app, std::string& capacity, std::optional<std::int64_t>& batch);

/// --plugin, for every command that needs the catalogue: sets HIGHWATER_PLUGINS
/// (harness/core/install_paths.hpp), which reaches the cells too.
void add_plugin_flag(CLI::App& app);

/// For commands that ask one cell. @throws UsageError where one of its names is unknown, and Error
/// (skipped) "<id> <refusal>: <reason>" where it cannot run.
void require_runnable(const Cell& cell, const InstallPaths& paths, const std::string& refusal);

/// What is to be run, and with what.
struct Plan {
  SuiteConfig suite;
  std::vector<std::string> devices;
  std::vector<PlannedCell> cells;
  bool narrowed = false;  ///< whether flags left out, or changed, cells of the suite on its devices
};

/// Reads suite and catalogue and expands them; initialises no device.
/// @throws UsageError on every unknown name, with the nearest ones.
Plan make_plan(const SelectionFlags& flags, const InstallPaths& paths);

/// The flags as they go into the run header.
nlohmann::json selection_json(const SelectionFlags& flags, const Plan& plan);

}  // namespace highwater::cli
