#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>

#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/program.hpp"
#include "tests/fidelity/broken_rules.hpp"

namespace highwater::oracle {
namespace {

constexpr Bytes device_bytes = 140 * 1024 * mib;
constexpr std::uint64_t programs = 200;

OracleSubject oracle_for(const Program& program, const std::vector<Event>& recording,
                         const Rules& rules) {
  return {recording, {device_bytes, program.capacity_bytes}, program.settings, rules};
}

const std::vector<Stream> streams = {0, 16, 32, 48};

/// Whether the program tells an allocator with `rules` from the published one, or makes it
/// contradict itself.
bool tells_apart(std::uint64_t seed, const Rules& rules) {
  const Program program = random_program(seed);
  OracleSubject published = oracle_for(program, {}, {});
  const auto recording = record(program, published, streams);
  std::vector<Event> events;
  for (const auto& step : recording) events.insert(events.end(), step.begin(), step.end());
  OracleSubject other = oracle_for(program, events, rules);
  try {
    return first_departure(program, other, streams, recording).has_value();
  } catch (const std::logic_error&) {
    return true;
  }
}

TEST(RandomPrograms, RepeatWithTheirSeed) {
  const Program first = random_program(7);
  const Program again = random_program(7);
  ASSERT_EQ(first.steps.size(), again.steps.size());
  for (std::size_t index = 0; index < first.steps.size(); ++index)
    EXPECT_EQ(to_text(first.steps[index]), to_text(again.steps[index]));
  EXPECT_EQ(to_configuration(first.settings), to_configuration(again.settings));
  EXPECT_FALSE(tells_apart(7, {}));
}

TEST(RandomPrograms, LeaveNothingBehind) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const Program program = random_program(seed);
    OracleSubject oracle = oracle_for(program, {}, {});
    record(program, oracle, streams);
    EXPECT_TRUE(oracle.layout().empty()) << "program " << seed;
  }
}

class RandomProgramsAgainst : public testing::TestWithParam<BrokenRules> {};

TEST_P(RandomProgramsAgainst, TellItApart) {
  std::uint64_t told = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed)
    told += tells_apart(seed, GetParam().rules);
  EXPECT_GT(told, 0u) << "an allocator that " << GetParam().name << " passes";
}

std::string name_of_broken(const testing::TestParamInfo<BrokenRules>& info) {
  std::string name = info.param.name;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Everyday, RandomProgramsAgainst,
                         testing::ValuesIn(broken_everyday_rules()), name_of_broken);
INSTANTIATE_TEST_SUITE_P(Special, RandomProgramsAgainst, testing::ValuesIn(broken_special_rules()),
                         name_of_broken);

}  // namespace
}  // namespace highwater::oracle
