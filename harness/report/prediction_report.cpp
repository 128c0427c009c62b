#include "harness/report/prediction_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace highwater {
namespace {

const std::string kAbsent = "-";

struct PredictedCategory {
  const char* predicted;  ///< metric of the prediction
  const char* at_peak;    ///< metric of what was alive at the peak
};

constexpr std::array kPredicted = {
    PredictedCategory{"parameters_bytes", "at_peak_parameters_bytes"},
    PredictedCategory{"gradients_bytes", "at_peak_gradients_bytes"},
    PredictedCategory{"optimizer_state_bytes", "at_peak_optimizer_state_bytes"},
    PredictedCategory{"activations_after_forward_bytes", "at_peak_saved_activations_bytes"},
};

constexpr std::array<std::string_view, 5> kNamedRemainder = {
    "at_peak_inputs_bytes", "at_peak_buffers_bytes", "at_peak_workspaces_bytes",
    "at_peak_temporaries_bytes", "at_peak_unattributed_bytes"};

bool has_whole_prediction(const CellOutcome& outcome) {
  return outcome.metrics.contains("at_peak_unattributed_bytes") &&
         std::ranges::all_of(kPredicted, [&](const PredictedCategory& category) {
           return outcome.prediction.contains(category.predicted);
         });
}

}  // namespace

Table prediction_table(const RunRecord& run) {
  Table table{"",
              {{"cell"},
               {"metric"},
               {"predicted", Align::right},
               {"measured", Align::right},
               {"difference", Align::right}},
              {}};
  for (const CellRecord& record : run.cells) {
    for (const auto& [id, predicted] : record.outcome.prediction) {
      const auto measured = metric_of(&record, id);
      table.rows.push_back({cell_id(record.cell), id, group_digits(predicted),
                            measured ? group_digits(*measured) : kAbsent,
                            measured ? group_digits(difference(*measured, predicted)) : kAbsent});
    }
  }
  return table;
}

Table peak_table(const RunRecord& run) {
  Table table{"",
              {{"cell"},
               {"peak", Align::right},
               {"predicted", Align::right},
               {"remainder", Align::right},
               {"rounding, not alive", Align::right},
               {"inputs", Align::right},
               {"buffers", Align::right},
               {"workspaces", Align::right},
               {"temporaries", Align::right},
               {"unattributed", Align::right}},
              {}};
  for (const CellRecord& record : run.cells) {
    const CellOutcome& outcome = record.outcome;
    if (!has_whole_prediction(outcome)) continue;
    Bytes predicted = 0;
    Bytes beyond = 0;
    for (const PredictedCategory& category : kPredicted) {
      predicted += outcome.prediction.at(category.predicted);
      beyond += outcome.metrics.at(category.at_peak) - outcome.prediction.at(category.predicted);
    }
    const Bytes peak = outcome.metrics.at("peak_allocated_bytes");
    std::vector<std::string> row = {cell_id(record.cell), group_digits(peak),
                                    group_digits(predicted), group_digits(peak - predicted),
                                    group_digits(beyond)};
    for (const std::string_view metric : kNamedRemainder) {
      row.push_back(group_digits(outcome.metrics.at(std::string(metric))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace highwater
