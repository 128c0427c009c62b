// highwater baseline: anchors, propose, explain.

#include "harness/record/baseline_file.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

const std::map<std::string, std::string> kFourMiBMore = {{"FAKE_EXTRA_BYTES", "4194304"}};
const std::map<std::string, std::string> kSixMiBMore = {{"FAKE_EXTRA_BYTES", "6291457"}};
const std::string kSave = "steady/full/save/sim:h200";
const std::string kBed = "sim-h200-fake1";

class CliBaseline : public testing_fakes::FakeInstallation {
 protected:
  CliBaseline() {
    highwater({"run"});
    accept("first");
  }
  testing_fakes::ProgramResult accept(const std::string& reason) const {
    return highwater({"baseline", "accept", "--reason", reason});
  }
  fs::path baseline() const { return file("results/baselines/" + kBed + "/default.jsonl"); }
  fs::path proposed(const std::string& name) const {
    return file("results/runs/latest/proposed/" + name);
  }
  testing_fakes::ProgramResult shell(Arguments command) const {
    const Arguments who = {"git", "-c", "user.name=t", "-c", "user.email=t@t"};
    if (command.front() == "git") command.insert(command.begin() + 1, who.begin() + 1, who.end());
    return start("/usr/bin/env", command).wait();
  }
  void commit_baselines(const std::string& message) const {
    shell({"git", "init", "-q"});
    shell({"git", "add", "results/baselines"});
    EXPECT_EQ(shell({"git", "commit", "-q", "-m", message}).status, 0);
  }
  BaselineRow peak_of_save() const {
    for (const BaselineRow& row : read_baseline(baseline()).rows) {
      if (row.cell == kSave && row.metric == "peak_allocated_bytes") return row;
    }
    ADD_FAILURE() << "no such row";
    return {};
  }
};

// ---- anchors

TEST_F(CliBaseline, ARiseBeyondTheCapIsRefusedByNameAndAskedForANewAnchor) {
  const std::string before = read_file(baseline());
  highwater({"run"}, kSixMiBMore);
  const auto result = accept("creep");
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.error, "not accepted, old rows stay: " + kSave +
                                     ": peak_allocated_bytes 69,206,017 lies 6,291,457 above its "
                                     "anchor 62,914,560"))
      << result.error;
  EXPECT_TRUE(says(result.error,
                   "approve it with --new-anchor: highwater baseline accept results/runs/latest "
                   "--baselines results/baselines --new-anchor --reason \"...\"\n"));
  EXPECT_EQ(read_file(baseline()), before);
}

TEST_F(CliBaseline, ANewAnchorApprovesTheLevelAndTheGateIsGreen) {
  highwater({"run"}, kSixMiBMore);
  const auto red = highwater({"gate"});
  EXPECT_EQ(red.status, 3);
  EXPECT_TRUE(says(red.output, "lies 6,291,457 above its anchor 62,914,560")) << red.output;
  EXPECT_TRUE(says(red.error, "--new-anchor --reason")) << red.error;
  const auto result = highwater({"baseline", "accept", "--new-anchor", "--reason", "a new level"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "62,914,560 -> 69,206,017")) << result.output;
  EXPECT_EQ(peak_of_save().anchor, 69'206'017);
  EXPECT_EQ(highwater({"gate"}).status, 0);
}

TEST_F(CliBaseline, AToleranceSetByHandIsHonoured) {
  std::string text = read_file(baseline());
  for (std::size_t at = 0; (at = text.find("\"tolerance\":0", at)) != std::string::npos;) {
    text.replace(at, 13, "\"tolerance\":4194304");
  }
  write_file_atomically(baseline(), text);
  highwater({"run"}, kFourMiBMore);
  EXPECT_EQ(highwater({"gate"}).status, 0);
}

TEST_F(CliBaseline, TestbedsThatARunDoesNotRefreshAreNamed) {
  EXPECT_FALSE(says(accept("again").error, "warning"));
  std::string other = read_file(baseline());
  other.replace(other.find(kBed), kBed.size(), "other-bed");
  write_file_atomically(file("results/baselines/other-bed/default.jsonl"), other);
  EXPECT_FALSE(says(accept("nothing moves").error, "warning"));
  highwater({"run"}, kFourMiBMore);
  const auto result = accept("more");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(says(result.error, "warning: only " + kBed +
                                     " is refreshed by this run; the baselines of suite default "
                                     "for other-bed stay as they are"))
      << result.error;
  EXPECT_EQ(read_file(file("results/baselines/other-bed/default.jsonl")), other);
}

// ---- propose

TEST_F(CliBaseline, ProposingWritesWhatAcceptWouldAndTouchesNothingElse) {
  const std::string before = read_file(baseline());
  highwater({"run"}, kFourMiBMore);
  const auto result = highwater({"baseline", "propose", "--reason", "more"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "62,914,560  67,108,864  +4,194,304")) << result.output;
  EXPECT_EQ(read_file(baseline()), before);
  const std::string text = read_file(proposed(kBed + "/default.jsonl"));
  accept("more");
  EXPECT_EQ(read_file(baseline()), text);
}

TEST_F(CliBaseline, AProposedPatchGivesTheAcceptedFileInARepository) {
  commit_baselines("first");
  highwater({"run"}, kFourMiBMore);
  highwater({"baseline", "propose", "--reason", "more", "--output", "there"});
  const auto applied = shell({"git", "apply", "there/baselines.patch"});
  EXPECT_EQ(applied.status, 0) << applied.error;
  EXPECT_EQ(read_file(baseline()), read_file(file("there/" + kBed + "/default.jsonl")));
}

TEST_F(CliBaseline, OutsideARepositoryAPatchStartsFromTheBaselinesFolder) {
  highwater({"run"}, kFourMiBMore);
  highwater({"baseline", "propose", "--reason", "more", "--output", "there"});
  const auto applied = shell(
      {"patch", "-p1", "-d", "results/baselines", "-i", file("there/baselines.patch").string()});
  EXPECT_EQ(applied.status, 0) << applied.output;
  EXPECT_EQ(read_file(baseline()), read_file(file("there/" + kBed + "/default.jsonl")));
}

TEST_F(CliBaseline, ProposingWhereNothingMovedLeavesNoEarlierProposal) {
  highwater({"run"}, kFourMiBMore);
  highwater({"baseline", "propose", "--reason", "more", "--output", "there"});
  EXPECT_TRUE(fs::exists(file("there/baselines.patch")));
  highwater({"run"});
  const auto result = highwater({"baseline", "propose", "--reason", "none", "--output", "there"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(says(result.output, "nothing moved"));
  EXPECT_FALSE(fs::exists(file("there/baselines.patch")));
  EXPECT_FALSE(fs::exists(file("there/" + kBed + "/default.jsonl")));
}

TEST_F(CliBaseline, ProposingIntoTheBaselinesThemselvesIsRefused) {
  const std::string before = read_file(baseline());
  highwater({"run"}, kFourMiBMore);
  const auto result = highwater(
      {"baseline", "propose", "--reason", "x", "--output", "results/../results/baselines"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(read_file(baseline()), before);
}

// ---- explain

TEST_F(CliBaseline, ExplainTellsEachMoveOfACellNewestFirst) {
  commit_baselines("one");
  highwater({"run"}, kFourMiBMore);
  accept("wider layer");
  commit_baselines("two");
  const auto result = highwater({"baseline", "explain", kSave});
  EXPECT_EQ(result.status, 0) << result.error;
  const std::size_t newest = result.output.find("62,914,560  67,108,864  +4,194,304");
  EXPECT_NE(newest, std::string::npos) << result.output;
  EXPECT_GT(result.output.find("62,914,560", newest + 30), newest);
  EXPECT_TRUE(says(result.output, "wider layer"));
  EXPECT_TRUE(says(result.output, "first"));
  EXPECT_FALSE(says(result.output, "104,857,600")) << "another cell's";
}

TEST_F(CliBaseline, ExplainTellsOfACellWhoseRowsAreGone) {
  commit_baselines("one");
  write_file_atomically(baseline(), baseline_text({kBed, "default", {}}));
  commit_baselines("two");
  const auto result = highwater({"baseline", "explain", kSave});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "removed")) << result.output;
}

TEST_F(CliBaseline, ExplainWithoutARepositoryShowsTheCurrentRows) {
  const auto result = highwater({"baseline", "explain", kSave});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.error, "no history: results/baselines is in no git repository"));
  EXPECT_TRUE(says(result.output, "peak_allocated_bytes  62,914,560  62,914,560          0"))
      << result.output;
}

TEST_F(CliBaseline, ExplainWithoutGitShowsTheCurrentRows) {
  commit_baselines("one");
  const auto result = highwater({"baseline", "explain", kSave}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.error, "no history: ")) << result.error;
  EXPECT_TRUE(says(result.output, "peak_allocated_bytes  62,914,560"));
}

TEST_F(CliBaseline, ExplainInAHookOfAnotherRepositoryReadsItsOwn) {
  commit_baselines("one");
  const auto result = highwater({"baseline", "explain", kSave}, {{"GIT_DIR", "/nowhere"}});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_FALSE(says(result.error, "no history")) << result.error;
}

TEST_F(CliBaseline, ExplainOfACellWithoutRowsNamesTheNearest) {
  const auto result = highwater({"baseline", "explain", "steady/full/sav/sim:h200"});
  EXPECT_EQ(result.status, 5);
  EXPECT_TRUE(says(result.error, "results/baselines: suite default has, and had, no baseline of"));
  EXPECT_TRUE(says(result.error, "did you mean " + kSave)) << result.error;
}

TEST_F(CliBaseline, NothingThatExplainIsGivenIsAnOptionOfGit) {
  fs::create_directories(file("--output=evil"));
  fs::rename(file("results/baselines"), file("--output=evil/b"));
  shell({"git", "init", "-q"});
  shell({"git", "add", "."});
  shell({"git", "commit", "-q", "-m", "one"});
  const auto result = highwater({"baseline", "explain", kSave, "--baselines=--output=evil/b"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "62,914,560")) << result.output;
  EXPECT_FALSE(fs::exists(file("evil")));
  EXPECT_EQ(highwater({"baseline", "explain", kSave, "--suite", "--output=evil"}).status, 2);
  EXPECT_EQ(highwater({"baseline", "explain", "--output=evil"}).status, 2);
  EXPECT_FALSE(fs::exists(file("evil")));
}

}  // namespace
}  // namespace highwater
