#include "harness/core/cudnn_folder.hpp"

#include <cstdlib>

namespace highwater {

std::filesystem::path cudnn_folder() {
  const char* given = std::getenv("HIGHWATER_CUDNN_DIR");
  const std::filesystem::path folder = given != nullptr ? given : HIGHWATER_CUDNN_DIR;
  std::error_code ignored;
  return std::filesystem::exists(folder / "libcudnn.so.9", ignored)
             ? std::filesystem::absolute(folder)
             : std::filesystem::path();
}

}  // namespace highwater
