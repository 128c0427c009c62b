#pragma once

#include <string>

#include "harness/measure/inspection.hpp"

namespace highwater {

/// What `highwater inspect` prints: the categories of the peak, the peak of each phase, the tree of
/// modules down to `depth` below the whole, the largest blocks, the allocator's own summary and how
/// fragmented it is. A pure function of its arguments.
/// @param title of the whole, such as the cell's id.
std::string inspect_text(const std::string& title, const Inspection& inspection, std::size_t depth);

}  // namespace highwater
