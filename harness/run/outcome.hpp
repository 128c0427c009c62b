#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/promise.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/measure/peak_profile.hpp"

namespace highwater {

enum class OutcomeKind { measured, skipped, refused, out_of_memory, incorrect, timed_out, failed };

/// Spelling in records, e.g. "out_of_memory". from_text throws UsageError on an unknown word.
std::string to_text(OutcomeKind kind);
OutcomeKind outcome_kind_from_text(const std::string& text);

/// How well the numbers of a cell are known.
enum class Certainty { measured, exact, bounded, refused };

struct CertaintyRow {
  Certainty certainty;
  std::string_view name;  ///< spelling in records
  std::string_view meaning;
};

/// The whole table, by certainty; records, reports and listings follow from it.
std::span<const CertaintyRow> certainty_table();
std::string to_text(Certainty certainty);

/// Whether the technique still computes the same thing; checked on cpu only.
struct Numerics {
  std::string verdict;  ///< "bit_equal", "within_tolerance", "different_by_design", "wrong"
  std::string detail;   ///< one sentence with the numbers, for people
  double gradient_difference = 0;  ///< worst parameter: |g - reference| / |reference|, L2
  double tolerance = 0;            ///< what was allowed
  double first_loss = 0;
  double last_loss = 0;  ///< after Protocol::numerics_steps
};

/// Closed-form bytes beside the measurement; absent where no form is known. Keys are metric ids.
using Prediction = std::map<std::string, std::int64_t>;

/// What became of one cell. Every cell yields exactly one, whatever happened to its process.
struct CellOutcome {
  OutcomeKind kind = OutcomeKind::failed;
  std::string reason;                  ///< for people; empty when measured
  std::optional<Certainty> certainty;  ///< absent where nothing was measured and nothing refused
  Measurement metrics;
  Measurement high;  ///< bounded only: the metrics that have another value at the high end
  std::map<std::string, std::string> attributes;  ///< e.g. peak_phase, steady
  std::optional<Numerics> numerics;
  Prediction prediction;
  PeakProfile profile;            ///< sums to peak_allocated_bytes; of a bounded one the low end
  std::vector<Promise> promises;  ///< of each technique of the cell that promises anything
};

/// What is wrong with the outcome itself, for people: measured, but without a peak, or with a
/// certainty that contradicts the rest. Empty where nothing is.
std::string fault_of(const CellOutcome& outcome);

/// A metric's value from JSON. `what` names it in errors.
/// @throws UsageError where it is no whole number of 64 signed bits, or negative though the metric
/// is no difference.
std::int64_t read_metric_value(const std::string& what, std::string_view id,
                               const nlohmann::json& value);

void to_json(nlohmann::json& json, const CellOutcome& outcome);
void from_json(const nlohmann::json& json, CellOutcome& outcome);

}  // namespace highwater
