#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace highwater {

/// Values of one cell by metric id. Absent means not measured on that device; zero means zero.
using Measurement = std::map<std::string, std::int64_t>;

}  // namespace highwater
