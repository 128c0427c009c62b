#include "harness/doctor/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace highwater {

namespace fs = std::filesystem;

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

fs::path cache_folder() {
  if (const auto given = environment_value("HIGHWATER_CACHE")) return fs::absolute(*given);
  if (const auto base = environment_value("XDG_CACHE_HOME")) return fs::path(*base) / "highwater";
  return fs::path(environment_value("HOME").value_or("/")) / ".cache" / "highwater";
}

std::optional<fs::path> program_on_path(std::string_view name) {
  std::istringstream folders(environment_value("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / name;
    if (::access(program.c_str(), X_OK) == 0 && !fs::is_directory(program)) return program;
  }
  return std::nullopt;
}

std::optional<fs::path> cached(const fs::path& cache, std::string_view prefix,
                               const fs::path& inside) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    if (entry.path().filename().string().starts_with(prefix) &&
        fs::exists(entry.path() / inside, error))
      found.push_back(entry.path());
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::max_element(found);
}

Bytes folder_bytes(const fs::path& folder) {
  Bytes bytes = 0;
  std::error_code error;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, options, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (error) break;
    std::error_code unreadable;
    if (entry->is_symlink(unreadable) || !entry->is_regular_file(unreadable)) continue;
    const auto size = entry->file_size(unreadable);
    if (!unreadable) bytes += static_cast<Bytes>(size);
  }
  return bytes;
}

}  // namespace highwater
