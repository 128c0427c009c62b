#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/install_paths.hpp"
#include "harness/matrix/cell.hpp"

namespace highwater {

/// One environment variable that a cell process gets, or does not get, on one kind of device.
struct EnvironmentRow {
  std::string_view device_kind;  ///< empty = every kind
  std::string_view name;
  std::string_view meaning;
  std::string_view value;  ///< empty and without a function = unset
  /// Computes the value instead, where it depends on the cell; empty = unset.
  std::string (*computed)(const Cell&, const InstallPaths&) = nullptr;
};

/// Which end the simulated GPU answers where only a real device knows a size: "low" or "high".
inline constexpr std::string_view kUnknownSizesVariable = "SIMGPU_UNKNOWN_SIZES";

/// The whole table; where two rows of a cell name the same variable, a value wins over unsetting.
/// What it does not name is inherited: allocator settings among others, which the cell process
/// records in its testbed.
std::span<const EnvironmentRow> environment_table();

/// Variables that are set for one cell, in table order.
std::vector<std::pair<std::string, std::string>> cell_environment(const Cell& cell,
                                                                  const InstallPaths& paths);

/// Variables that must not reach one cell, in table order.
std::vector<std::string> unset_variables(const Cell& cell, const InstallPaths& paths);

/// Whether the stand-in libraries are loaded: on sim, and with no device in them on cpu, because
/// the CUDA build of LibTorch needs two of them to load at all.
bool needs_standins(std::string_view device);

}  // namespace highwater
