#pragma once

#include <string>

namespace highwater {

/// Whether a cell id, or any text, matches a shell glob; "*" spans slashes.
bool matches_glob(const std::string& glob, const std::string& text);

}  // namespace highwater
