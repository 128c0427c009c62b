#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// Blocks of one kind that are alive at the peak of a step.
struct PeakPart {
  std::string category;  ///< of kCategoryNames
  std::string phase;     ///< they were born in; "before" where that was before the step
  std::string module;    ///< path such as "block.3.qkv"; "unattributed" where nothing is known
  std::string op;        ///< that asked for them; empty where not known
  std::int64_t blocks = 0;
  Bytes bytes = 0;

  bool operator==(const PeakPart&) const = default;
};

/// What a peak is made of: one part for each category, phase, module and operator, sorted by these.
/// Sums to the peak.
using PeakProfile = std::vector<PeakPart>;

inline constexpr const char* kBeforeTheStep = "before";
inline constexpr const char* kUnattributed = "unattributed";

Bytes total_bytes(const PeakProfile& profile);

/// What changed from one peak to another: the parts whose blocks or bytes differ, with the signed
/// differences. Sums to the difference of the peaks. Both are unfolded.
PeakProfile difference(const PeakProfile& before, const PeakProfile& after);

/// Parts that differ in the last number of their module's path alone are one: twelve parts
/// "block.0.qkv" to "block.11.qkv" become "block.{0-11}.qkv", with the blocks and bytes of each.
PeakProfile folded(const PeakProfile& profile);

/// The inverse of folded().
/// @throws UsageError where braces of a path hold no list of numbers.
PeakProfile unfolded(const PeakProfile& profile);

/// How many modules a folded path names; 1 where it is not folded.
std::int64_t modules_of(const std::string& path);

/// As records and baselines hold it, folded: {category: {phase: [[module, operator, blocks, bytes],
/// ...]}}.
nlohmann::json profile_to_json(const PeakProfile& profile);

/// Unfolded. @throws UsageError where it has another form.
PeakProfile profile_from_json(const nlohmann::json& json);

}  // namespace highwater
