#include <nlohmann/json.hpp>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class CliCapture : public testing_fakes::FakeInstallation {
 protected:
  nlohmann::json capture() const {
    return nlohmann::json::parse(read_file(file("captured/capture.json")));
  }
};

TEST_F(CliCapture, WritesEveryCellsEventsAndTheDevicesRates) {
  const auto result = highwater({"capture", "--into", "captured"});
  EXPECT_EQ(result.status, 0) << result.error;
  const auto written = capture();
  EXPECT_EQ(written["devices"]["sim:h200"]["rates"][0]["operation"], "gemm");
  EXPECT_EQ(written["devices"]["sim:h200"]["testbed"]["id"], "sim-h200-fake1");
  ASSERT_EQ(written["cells"].size(), 2U);
  const auto& row = written["cells"]["steady/full/save/sim:h200"];
  EXPECT_EQ(row["driver"]["free_with_context"], 90);
  const std::string events = read_file(file("captured") / row["events"].get<std::string>());
  EXPECT_NE(events.find("alloc\t4096\t100\t0\taten::empty\tblock.0\tforward\t1\n"),
            std::string::npos);
}

TEST_F(CliCapture, TheEventsAreTracesTooWhereAskedFor) {
  highwater({"capture", "--into", "captured"});
  EXPECT_FALSE(std::filesystem::exists(file("captured/traces")));
  highwater({"capture", "--trace", "--into", "captured"});
  const auto row = capture()["cells"]["steady/full/save/sim:h200"];
  const auto trace =
      nlohmann::json::parse(read_file(file("captured") / row.at("trace").get<std::string>()));
  EXPECT_EQ(trace.at("otherData").at("cell"), "steady/full/save/sim:h200");
  EXPECT_FALSE(trace.at("traceEvents").empty());
}

TEST_F(CliCapture, ACellThatFailsIsNamedAndTheOthersAreThere) {
  add_suite("bad", {"crash", "steady"});
  const auto result =
      highwater({"capture", "--suite", "bad", "--technique", "baseline", "--into", "captured"});
  EXPECT_EQ(result.status, 6) << result.error;
  EXPECT_TRUE(capture()["cells"]["crash/full/baseline/sim:h200"].contains("failed"));
  EXPECT_TRUE(capture()["cells"]["steady/full/baseline/sim:h200"].contains("events"));
}

TEST_F(CliCapture, NeedsAFolder) { EXPECT_EQ(highwater({"capture"}).status, 2); }

}  // namespace
}  // namespace highwater
