#pragma once

#include <filesystem>
#include <vector>

namespace highwater {

/// Where the parts of an installation lie, relative to the running program: bin/highwater,
/// bin/highwater-cell, lib/highwater/..., share/highwater/.... The build tree has the same shape.
struct InstallPaths {
  std::filesystem::path cell_program;  ///< bin/highwater-cell: the launcher of one cell
  std::filesystem::path core_library;  ///< lib/highwater/libhighwater_core.so: links Torch
  std::filesystem::path standins;      ///< lib/highwater/simgpu: the simulated GPU's libraries
  std::filesystem::path profiles;      ///< share/highwater/profiles/<name>.json
  std::filesystem::path simgpu;        ///< share/highwater/simgpu: its sources, for other torches
  std::filesystem::path suites;        ///< share/highwater/suites/<name>.toml
  std::filesystem::path scripts;       ///< share/highwater/scripts: plot.py and what it needs
  std::filesystem::path catalog;       ///< share/highwater/catalog.json
  /// Shared objects with a user's own models and techniques, in the order in which they are mapped.
  std::vector<std::filesystem::path> plugins = {};
};

/// Plug-ins, separated by ":"; the command line's --plugin sets it.
inline constexpr const char* kPluginsVariable = "HIGHWATER_PLUGINS";

/// Found from /proc/self/exe; HIGHWATER_PREFIX overrides the prefix.
/// @throws UsageError where a plug-in of HIGHWATER_PLUGINS is no file.
InstallPaths install_paths();

/// The parts of another installation, without plug-ins. @throws UsageError where it has no launcher
/// of cells.
InstallPaths installation_at(const std::filesystem::path& prefix);

}  // namespace highwater
