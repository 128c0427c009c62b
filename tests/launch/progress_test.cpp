#include "harness/launch/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace highwater {
namespace {

CellOutcome measured() {
  CellOutcome outcome;
  outcome.kind = OutcomeKind::measured;
  return outcome;
}

TEST(Progress, ATerminalGetsABarWithCellsDoneTimeLeftAndTheCurrentCell) {
  std::ostringstream text;
  Progress progress(text, true, 2);
  progress.finished("a", measured(), {});
  progress.started("b");
  const std::string last = text.str().substr(text.str().rfind('\r'));
  EXPECT_NE(last.find("[############............] 1/2 0 s left, b"), std::string::npos) << last;
}

TEST(Progress, ALineOfATerminalNeverWraps) {
  std::ostringstream text;
  Progress progress(text, true, 2);
  progress.started(std::string(500, 'x'));
  EXPECT_LT(text.str().size(), 90U);
}

TEST(Progress, APlainStreamGetsNoControlCharacters) {
  std::ostringstream text;
  Progress progress(text, false, 1);
  progress.started("a");
  progress.finished("a", measured(), std::chrono::milliseconds(1500));
  progress.close();
  EXPECT_EQ(text.str(), "[1/1] a measured 1.5 s\n");
}

}  // namespace
}  // namespace highwater
