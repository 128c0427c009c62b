#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class CliReport : public testing_fakes::FakeInstallation {};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CliReport, ThePageOfARunIsOneFileAndStandardOutputStaysEmpty) {
  highwater({"run"});
  const auto result = highwater({"report", "--html", "a/report.html"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.output, "");
  const std::string page = read_file(file("a/report.html"));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(says(page, "steady/full/save/sim:h200"));
  EXPECT_TRUE(says(page, "\"cost\":\"nothing\"")) << "what the catalogue says of a technique";
}

TEST_F(CliReport, ThePageHoldsBothRunsWhereOneIsHeldAgainstAnother) {
  add_suite("other", {"bounded"});
  highwater({"run"});
  std::filesystem::copy(file("results/runs/latest/"), file("before"));
  highwater({"run", "--suite", "other"});
  const auto result = highwater({"report", "--html", "report.html", "--against", "before"});
  EXPECT_EQ(result.status, 0) << result.error;
  const std::string page = read_file(file("report.html"));
  EXPECT_TRUE(says(page, "\"label\":\"before\""));
  EXPECT_TRUE(says(page, "bounded/full/save/sim:h200"));
  EXPECT_TRUE(says(page, "is in the old run, but not in the new one"));
}

TEST_F(CliReport, AMistakeIsAnErrorAndWritesNoPage) {
  highwater({"run"});
  EXPECT_EQ(highwater({"report", "--against", "results/runs/latest"}).status, 2);
  EXPECT_EQ(highwater({"report", "--html", "out", "--format", "text"}).status, 2);
  EXPECT_EQ(highwater({"report", "--html", "out", "--against", "absent"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

}  // namespace
}  // namespace highwater
