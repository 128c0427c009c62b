#include "harness/core/exit_code.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace highwater {
namespace {

using enum ExitCode;

TEST(ExitCode, TheWorseOfTwoFollowsTheDocumentedOrder) {
  const std::vector<ExitCode> order = {internal,       usage,      interrupted, not_ready,
                                       cell_error,     regression, missing,     incomparable,
                                       stale_baseline, ok,         skipped};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i; j < order.size(); ++j) {
      EXPECT_EQ(worse(order[i], order[j]), order[i]);
      EXPECT_EQ(worse(order[j], order[i]), order[i]);
    }
  }
}

TEST(ExitCode, TheTableIsInNumericOrder) {
  const auto table = exit_codes();
  ASSERT_EQ(table.size(), 11U);
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_LT(table[i - 1].code, table[i].code);
}

}  // namespace
}  // namespace highwater
