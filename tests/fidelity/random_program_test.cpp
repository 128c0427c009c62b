#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>

#include "fidelity/allocator/comparison.hpp"
#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/program.hpp"
#include "tests/fidelity/broken_rules.hpp"

namespace highwater::oracle {
namespace {

constexpr Bytes device_bytes = 140 * 1024 * mib;
constexpr std::uint64_t programs = 200;

using Steps = std::vector<std::vector<Event>>;

Steps run_oracle(const Program& program, const std::vector<Event>& recording, const Rules& rules) {
  OracleSubject oracle(recording, {device_bytes, program.capacity_bytes}, program.settings, rules);
  return run(program, oracle, {0, 16, 32, 48});
}

std::vector<Event> joined(const Steps& steps) {
  std::vector<Event> all;
  for (const auto& step : steps) all.insert(all.end(), step.begin(), step.end());
  return all;
}

/// Whether the program tells an allocator with `rules` from the published one, or makes it
/// contradict itself.
bool tells_apart(std::uint64_t seed, const Rules& rules) {
  const Program program = random_program(seed);
  const Steps expected = run_oracle(program, {}, {});
  Comparison comparison;
  try {
    const Steps seen = run_oracle(program, joined(expected), rules);
    for (std::size_t step = 0; step < expected.size(); ++step)
      comparison.add(expected[step], seen[step]);
  } catch (const std::logic_error&) {
    return true;
  }
  return comparison.mismatches() > 0;
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
    OracleSubject oracle({}, {device_bytes, program.capacity_bytes}, program.settings);
    run(program, oracle, {0, 16, 32, 48});
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
