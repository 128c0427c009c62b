#pragma once

#include <string>

namespace highwater {

/// Whether the text holds this part: for what programs print.
inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace highwater
