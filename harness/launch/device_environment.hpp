#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/install_paths.hpp"
#include "harness/matrix/cell.hpp"

namespace highwater {

/// One environment variable that a cell process gets on one kind of device.
struct EnvironmentRow {
  std::string_view device_kind;
  std::string_view name;
  std::string_view meaning;
  /// Empty = the variable is not set for this cell.
  std::string (*value)(const Cell&, const InstallPaths&);
};

/// The whole table. What it does not name is inherited (allocator settings among others, which the
/// cell process records in its testbed).
std::span<const EnvironmentRow> environment_table();

/// Variables of one cell, in table order.
std::vector<std::pair<std::string, std::string>> cell_environment(const Cell& cell,
                                                                  const InstallPaths& paths);

/// Whether the stand-in libraries are loaded: on sim, and with no device in them on cpu, because
/// the CUDA build of LibTorch needs two of them to load at all.
bool needs_standins(std::string_view device);

}  // namespace highwater
