#pragma once

#include <string>
#include <utility>
#include <vector>

namespace highwater {

/// The texts as posix_spawn wants them, null-terminated; valid while `texts` stays as it is.
std::vector<char*> pointers(std::vector<std::string>& texts);

/// Our own environment as "NAME=value", without the variables in `unset` and with those in `set`.
std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& set,
    const std::vector<std::string>& unset);

}  // namespace highwater
