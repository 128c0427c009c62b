#include "harness/core/install_paths.hpp"

#include <cstdlib>
#include <sstream>

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

std::vector<fs::path> plugins() {
  const char* given = std::getenv(kPluginsVariable);
  std::istringstream list(given == nullptr ? "" : given);
  std::vector<fs::path> files;
  for (std::string name; std::getline(list, name, ':');) {
    if (name.empty()) continue;
    if (!fs::is_regular_file(name)) {
      throw UsageError("plug-in " + name +
                       " is no file; build it (highwater_add_plugin), or name " +
                       "another with --plugin or " + kPluginsVariable);
    }
    files.push_back(fs::absolute(name));
  }
  return files;
}

InstallPaths paths_below(const fs::path& root) {
  const fs::path share = root / "share" / "highwater";
  return {.cell_program = root / "bin" / "highwater-cell",
          .core_library = root / "lib" / "highwater" / "libhighwater_core.so",
          .standins = root / "lib" / "highwater" / "simgpu",
          .profiles = share / "profiles",
          .simgpu = share / "simgpu",
          .suites = share / "suites",
          .scripts = share / "scripts",
          .catalog = share / "catalog.json"};
}

}  // namespace

InstallPaths install_paths() {
  InstallPaths paths = paths_below(prefix());
  paths.plugins = plugins();
  return paths;
}

InstallPaths installation_at(const fs::path& prefix) {
  InstallPaths paths = paths_below(fs::absolute(prefix));
  if (!fs::exists(paths.cell_program)) {
    throw UsageError(prefix.string() + " is no installation of Highwater: it has no " +
                     fs::relative(paths.cell_program, fs::absolute(prefix)).string() +
                     "; name the folder given to cmake --install --prefix, or a build folder");
  }
  return paths;
}

}  // namespace highwater
