#include "tests/fuzz/reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace highwater::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<Reader>& registry() {
  static std::vector<Reader> all;
  return all;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "highwater-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

RegisterReader::RegisterReader(const Reader& reader) { registry().push_back(reader); }

const std::vector<Reader>& readers() { return registry(); }

fs::path input_file(const std::string& name, std::string_view bytes) {
  static const Folder folder;
  const fs::path path = folder.path() / name;
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace highwater::fuzz
