#include "harness/core/glob.hpp"

#include <fnmatch.h>

namespace highwater {

bool matches_glob(const std::string& glob, const std::string& text) {
  return ::fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

}  // namespace highwater
