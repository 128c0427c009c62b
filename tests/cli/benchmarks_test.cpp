#include <nlohmann/json.hpp>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class GoogleBenchmark : public testing_fakes::FakeInstallation {
 protected:
  testing_fakes::ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--benchmark_out=out.json", "--benchmark_out_format=json"});
    return start(HIGHWATER_BENCHMARKS_PROGRAM, arguments).wait();
  }
  nlohmann::json rows() const {
    return nlohmann::json::parse(read_file(file("out.json"))).at("benchmarks");
  }
};

TEST_F(GoogleBenchmark, PeaksAreCountersAndAnUntimedStepIsZero) {
  EXPECT_EQ(run({"--suite", "default", "--benchmark_filter=save"}).status, 0);
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0].at("peak_allocated_bytes"), 60 << 20);
  EXPECT_EQ(rows()[0].at("real_time"), 0.0);
}

TEST_F(GoogleBenchmark, AMeasuredStepIsTheTime) {
  run({"--device", "cpu", "--technique", "baseline"});
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_NEAR(rows()[0].at("real_time").get<double>(), 12.5e6, 1);
}

TEST_F(GoogleBenchmark, AFailedCellIsAnErrorRowAndExit6) {
  EXPECT_EQ(run({"--model", "crash,steady", "--technique", "baseline"}).status, 6);
  ASSERT_EQ(rows().size(), 2U);
  EXPECT_EQ(rows()[0].at("error_occurred"), true);
  EXPECT_EQ(rows()[0].at("error_message"),
            "failed: killed by SIGSEGV; its last words: about to die");
}

TEST_F(GoogleBenchmark, ASkippedCellIsAnErrorRowAndNoFailure) {
  EXPECT_EQ(run({"--model", "vision,steady", "--technique", "baseline"}).status, 0);
  EXPECT_EQ(rows()[0].at("error_occurred"), true);
}

TEST_F(GoogleBenchmark, BothEndsOfABoundedCellAreCountersAndARefusedOneIsNoFailure) {
  EXPECT_EQ(run({"--model", "bounded,refused", "--technique", "baseline"}).status, 0);
  EXPECT_EQ(rows()[0].at("peak_allocated_bytes"), 100 << 20);
  EXPECT_EQ(rows()[0].at("peak_allocated_bytes_high"), 104 << 20);
  EXPECT_EQ(rows()[1].at("error_message"), "refused: cudnnRNNForward is not known here.");
}

TEST_F(GoogleBenchmark, AFilterThatMatchesNothingIsAnError) {
  EXPECT_EQ(start(HIGHWATER_BENCHMARKS_PROGRAM, {"--benchmark_filter=nothing"}).wait().status, 2);
}

TEST_F(GoogleBenchmark, AnUnknownFlagIsAnError) {
  EXPECT_EQ(start(HIGHWATER_BENCHMARKS_PROGRAM, {"--benchmrk_filter=x"}).wait().status, 2);
}

}  // namespace
}  // namespace highwater
