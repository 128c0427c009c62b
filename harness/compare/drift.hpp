#pragma once

#include <cstdint>
#include <string>

#include "harness/record/baseline_file.hpp"

namespace highwater {

/// How far accepted values may rise above their anchor, all steps together, before a person has to
/// approve a new level: the next round number above 8.6 %, by which reserved bytes of a published
/// case swung with the history of the pool while allocated bytes stood still. Less would ask for an
/// approval where nothing grew.
inline constexpr std::int64_t kMostDriftPercent = 10;

/// Bytes that a value of this row may lie above its anchor: kMostDriftPercent of the anchor,
/// rounded down, or the row's tolerance where that is more (noise is no drift).
std::int64_t drift_allowance(const BaselineRow& row);

/// Whether a value is too much for the row's anchor, whatever its accepted value is. False where
/// the row has no anchor.
bool is_beyond_anchor(const BaselineRow& row, std::int64_t value);

/// A sentence with both numbers and the limit, about a value that is_beyond_anchor.
std::string beyond_anchor_text(const BaselineRow& row, std::int64_t value);

/// Whether a value differs from the accepted one by more than the row allows, at either end. A
/// bounded value against one that was not is a move.
bool has_moved(const BaselineRow& row, const Ends& value);

}  // namespace highwater
