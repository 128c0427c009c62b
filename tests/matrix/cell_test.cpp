#include "harness/matrix/cell.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

using namespace literals;

const Cell kPlain{"gpt2-small", "full", "a+b", "sim:h200", {}, {}};
const Cell kFull{"gpt2-small", "full", "a+b", "sim:h200", 4, 500_MiB};

TEST(Cell, IdHoldsTheFourFieldsAndPresentParameters) {
  EXPECT_EQ(cell_id(kPlain), "gpt2-small/full/a+b/sim:h200");
  EXPECT_EQ(cell_id(kFull), "gpt2-small/full/a+b/sim:h200/batch=4/capacity=524288000");
}

TEST(Cell, IdRoundTrips) {
  EXPECT_EQ(parse_cell_id(cell_id(kPlain)), kPlain);
  EXPECT_EQ(parse_cell_id(cell_id(kFull)), kFull);
}

TEST(Cell, JsonRoundTripsWithNumbersAsNumbers) {
  const nlohmann::json json = kFull;
  EXPECT_EQ(json.at("batch"), 4);
  EXPECT_EQ(json.get<Cell>(), kFull);
  EXPECT_FALSE(nlohmann::json(kPlain).contains("batch"));
}

TEST(Cell, AMalformedIdIsRefused) {
  for (const char* id : {"", "m", "m/full/t", "m//t/cpu", "m/full/t/cpu/x", "m/full/t/cpu/speed=3",
                         "m/full/t/cpu/batch=0", "m/full/t/cpu/batch=04", "m/full/t/cpu/batch=1/",
                         "m/full/t/cpu/capacity=1MiB/batch=2"}) {
    EXPECT_THROW(parse_cell_id(id), UsageError) << id;
  }
}

TEST(Cell, KindOfADeviceIsWhatStandsBeforeItsProfile) {
  EXPECT_EQ(device_kind("sim:h200"), "sim");
  EXPECT_EQ(device_kind("cpu"), "cpu");
}

TEST(Cell, ParametersAreTheOptionalFields) {
  EXPECT_TRUE(has_parameters(kFull));
  EXPECT_FALSE(has_parameters(kPlain));
}

TEST(Cell, ItsBaselineCellDiffersInTheTechniqueOnly) {
  EXPECT_EQ(cell_id(baseline_cell_of(kFull)),
            "gpt2-small/full/baseline/sim:h200/batch=4/capacity=524288000");
}

}  // namespace
}  // namespace highwater
