#include "harness/launch/installed_catalog.hpp"

#include "harness/core/error.hpp"
#include "harness/launch/cell_process.hpp"

namespace highwater {

Catalog installed_catalog(const InstallPaths& paths, const std::atomic<bool>& stop) {
  if (paths.plugins.empty()) return read_catalog(paths.catalog.string());
  Cell nowhere;
  nowhere.device = "cpu";  // registering asks no device
  try {
    return ask_cell("catalog", nowhere, Protocol{}, paths, stop).get<Catalog>();
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    throw UsageError(std::string("the plug-ins cannot be used: ") + error.what());
  }
}

}  // namespace highwater
