#include "harness/compare/drift.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/bytes.hpp"

namespace highwater {
namespace {

std::int64_t distance(std::int64_t a, std::int64_t b) {
  return difference(std::max(a, b), std::min(a, b));
}

}  // namespace

std::int64_t drift_allowance(const BaselineRow& row) {
  const std::int64_t share = row.anchor.value_or(0) / 100 * kMostDriftPercent +
                             row.anchor.value_or(0) % 100 * kMostDriftPercent / 100;
  return std::max(share, row.tolerance);
}

bool is_beyond_anchor(const BaselineRow& row, std::int64_t value) {
  return row.anchor && difference(value, *row.anchor) > drift_allowance(row);
}

std::string beyond_anchor_text(const BaselineRow& row, std::int64_t value) {
  return fmt::format(
      "{} {} lies {} above its anchor {}, the level that was last approved, and may creep {}",
      row.metric, group_digits(value), group_digits(difference(value, *row.anchor)),
      group_digits(*row.anchor), group_digits(drift_allowance(row)));
}

bool has_moved(const BaselineRow& row, const Ends& value) {
  return row.value.high.has_value() != value.high.has_value() ||
         distance(row.value.low, value.low) > row.tolerance ||
         distance(row.value.highest(), value.highest()) > row.tolerance;
}

}  // namespace highwater
