#include "harness/core/install_paths.hpp"

#include <cstdlib>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

fs::path prefix() {
  if (const char* given = std::getenv("HIGHWATER_PREFIX")) return fs::absolute(given);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw UsageError("cannot find this program through /proc/self/exe (" + error.message() +
                     "); set HIGHWATER_PREFIX to the folder that holds bin/ and share/");
  }
  return program.parent_path().parent_path();
}

}  // namespace

InstallPaths install_paths() {
  const fs::path root = prefix();
  const fs::path share = root / "share" / "highwater";
  InstallPaths paths{.cell_program = root / "bin" / "highwater-cell",
                     .core_library = root / "lib" / "highwater" / "libhighwater_core.so",
                     .standins = root / "lib" / "highwater" / "simgpu",
                     .profiles = share / "profiles",
                     .simgpu = share / "simgpu",
                     .suites = share / "suites",
                     .catalog = share / "catalog.json"};
  if (const char* core = std::getenv("HIGHWATER_CORE")) {
    paths.core_library = fs::absolute(core);
    paths.catalog = paths.core_library.string() + ".catalog.json";
  }
  return paths;
}

}  // namespace highwater
