#pragma once

#include <atomic>

#include "harness/core/install_paths.hpp"
#include "harness/matrix/catalog.hpp"

namespace highwater {

/// What the core and the plug-ins of an installation register. Without plug-ins it is a file that
/// the build wrote, and no process is started.
/// @throws UsageError where that file cannot be read, or a plug-in cannot be loaded.
Catalog installed_catalog(const InstallPaths& paths, const std::atomic<bool>& stop);

}  // namespace highwater
