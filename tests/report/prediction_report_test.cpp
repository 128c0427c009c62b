#include "harness/report/prediction_report.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

CellRecord predicted_record() {
  CellRecord record = sample_record("save", 1000);
  record.outcome.prediction = {{"parameters_bytes", 100},
                               {"gradients_bytes", 100},
                               {"optimizer_state_bytes", 200},
                               {"activations_after_forward_bytes", 300}};
  record.outcome.metrics.merge(Measurement{{"at_peak_parameters_bytes", 120},
                                           {"at_peak_gradients_bytes", 0},
                                           {"at_peak_optimizer_state_bytes", 200},
                                           {"at_peak_saved_activations_bytes", 300},
                                           {"at_peak_inputs_bytes", 10},
                                           {"at_peak_buffers_bytes", 20},
                                           {"at_peak_workspaces_bytes", 50},
                                           {"at_peak_temporaries_bytes", 300},
                                           {"at_peak_unattributed_bytes", 0}});
  return record;
}

TEST(PredictionReport, PredictionsStandBesideMeasurements) {
  CellRecord record = sample_record("baseline", 1000);
  record.outcome.prediction = {{"peak_allocated_bytes", 900}, {"parameters_bytes", 5}};
  const Table table = prediction_table(sample_run({record}));
  EXPECT_EQ(table.rows,
            (std::vector<std::vector<std::string>>{
                {"m/full/baseline/sim:h200", "parameters_bytes", "5", "-", "-"},
                {"m/full/baseline/sim:h200", "peak_allocated_bytes", "900", "1,000", "100"}}));
}

TEST(PredictionReport, ThePartsBeyondThePredictionSumToTheRemainder) {
  EXPECT_EQ(peak_table(sample_run({predicted_record()})).rows.at(0),
            (std::vector<std::string>{sample_id("save"), "1,000", "700", "300", "-80", "10", "20",
                                      "50", "300", "0"}));
}

TEST(PredictionReport, ACellWithoutAFormOfItsActivationsHasNoRow) {
  CellRecord record = predicted_record();
  record.outcome.prediction.erase("activations_after_forward_bytes");
  EXPECT_TRUE(peak_table(sample_run({record})).rows.empty());
}

}  // namespace
}  // namespace highwater
