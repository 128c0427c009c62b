#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/measure/measurement.hpp"

namespace highwater {

/// The text of a number, or of both ends, the smaller first: "2.85 GiB to 3.05 GiB"; once where
/// they read alike.
std::string ends_text(const Ends& ends, const std::function<std::string(std::int64_t)>& text);

}  // namespace highwater
