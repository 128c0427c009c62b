#pragma once

#include <string>

#include "harness/report/table.hpp"

namespace highwater {

/// to_text, for a terminal that shows colours: each row in that of the verdict or outcome its last
/// entry begins with, green where it passes, red where it does not, none in between.
std::string coloured_text(const Table& table);

}  // namespace highwater
