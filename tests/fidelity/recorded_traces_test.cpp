// The traces that real cards left, replayed by the oracle. HIGHWATER_TRACES names a folder with the
// unpacked tables, see with_traces.py.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/replay.hpp"
#include "tests/fidelity/broken_rules.hpp"

namespace highwater::oracle {
namespace {

namespace fs = std::filesystem;

std::map<std::string, Trace> recorded_traces() {
  std::map<std::string, Trace> traces;
  const char* folder = std::getenv("HIGHWATER_TRACES");
  if (folder == nullptr) return traces;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().string();
    const std::size_t suffix = name.rfind(".events.tsv");
    if (suffix == std::string::npos) continue;
    traces.emplace(name.substr(0, suffix),
                   read_trace(name, name.substr(0, suffix) + ".segments.tsv"));
  }
  return traces;
}

Replay replay_with(const Trace& trace, const Rules& rules) {
  OracleSubject oracle(trace.events, {}, {}, rules);
  oracle.adopt(trace.start());
  return replay(trace, oracle);
}

class RecordedTraces : public testing::Test {
 protected:
  void SetUp() override {
    traces = recorded_traces();
    if (traces.empty()) GTEST_SKIP() << "no traces: HIGHWATER_TRACES is not set";
  }
  std::map<std::string, Trace> traces;
};

TEST_F(RecordedTraces, ArePlacedByTheOracleAddressForAddress) {
  for (const auto& [name, trace] : traces) {
    const Replay result = replay_with(trace, {});
    EXPECT_EQ(result.comparison.mismatches(), 0u)
        << name << ": " << to_text(*result.comparison.first());
    EXPECT_TRUE(result.is_end_equal) << name;
  }
}

TEST_F(RecordedTraces, TellEveryBrokenPolicyFromThePublishedOne) {
  for (const BrokenRules& broken : broken_everyday_rules()) {
    std::size_t misplaced = 0;
    for (const auto& [name, trace] : traces)
      misplaced += replay_with(trace, broken.rules).misplaced;
    EXPECT_GT(misplaced, 0u) << "an allocator that " << broken.name << " passes";
  }
}

}  // namespace
}  // namespace highwater::oracle
