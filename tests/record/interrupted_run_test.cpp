#include "harness/record/interrupted_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

/// A run that planned techniques a, b and c.
class Interrupted : public ::testing::Test {
 protected:
  Interrupted() {
    header_.settings["planned_cells"] = {sample_id("a"), sample_id("b"), sample_id("c")};
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string first_line() const { return header_line(header_) + "\n"; }
  static std::string row(const std::string& technique) {
    return cell_line(sample_record(technique, 1)) + "\n";
  }
  void write(const std::string& text) const { write_file_atomically(records_path(folder()), text); }
  std::string records() const { return read_file(records_path(folder())); }
  std::string refusal() const {
    try {
      read_interrupted(folder());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }
  bool is_refused_for(const std::string& reason) const {
    return refusal().find(reason) != std::string::npos;
  }
  std::vector<std::string> left() const {
    std::vector<std::string> techniques;
    for (const Cell& cell : read_interrupted(folder()).left) techniques.push_back(cell.technique);
    return techniques;
  }
  RunHeader header_ = sample_run({}).header;

 private:
  testing_fakes::TemporaryFolder folder_;
};

using Techniques = std::vector<std::string>;

TEST_F(Interrupted, CellsWithoutARowAreLeftInPlannedOrder) {
  write(first_line() + row("b"));
  EXPECT_EQ(left(), (Techniques{"a", "c"}));
}

TEST_F(Interrupted, ReadingChangesNothing) {
  const std::string text = first_line() + row("c") + row("a").substr(0, 30);
  write(text);
  read_interrupted(folder());
  EXPECT_EQ(records(), text);
}

TEST_F(Interrupted, RowsAreBroughtIntoPlannedOrderByteForByte) {
  std::string strange = row("c");  // blanks that no writer of ours makes
  strange.insert(1, "   ");
  write(first_line() + strange + row("a"));
  arrange_records(folder());
  EXPECT_EQ(records(), first_line() + row("a") + strange);
}

TEST_F(Interrupted, WhereverTheFileEndsFinishedRowsStayAndAHalfOneGoes) {
  const std::string whole = first_line() + row("a") + row("b");
  for (std::size_t end = first_line().size(); end <= whole.size(); ++end) {
    write(whole.substr(0, end));
    const Techniques expected = left();
    arrange_records(folder());
    const std::size_t rows = 3 - expected.size();
    EXPECT_EQ(records(), first_line() + (rows > 0 ? row("a") : "") + (rows > 1 ? row("b") : ""))
        << end;
    const std::size_t whole_a = first_line().size() + row("a").size() - 1;
    EXPECT_EQ(rows, (end >= whole_a ? 1U : 0U) + (end >= whole.size() - 1 ? 1U : 0U)) << end;
  }
}

TEST_F(Interrupted, ARunWithAllRowsAndNoReportIsNotYetComplete) {
  write(first_line() + row("a") + row("b") + row("c"));
  EXPECT_TRUE(left().empty());
  write_file_atomically(report_path(folder()), "");
  EXPECT_TRUE(is_refused_for("it is complete, all 3 planned cells have their rows")) << refusal();
}

TEST_F(Interrupted, AFolderWithoutRecordsIsNoRun) {
  EXPECT_TRUE(is_refused_for("it is no folder of a run")) << refusal();
}

TEST_F(Interrupted, ARunKilledInItsHeaderHasMeasuredNothing) {
  for (std::size_t end = 0; end < first_line().size(); end += 7) {
    write(first_line().substr(0, end));
    EXPECT_TRUE(is_refused_for("it ended before its header was written")) << refusal();
  }
}

TEST_F(Interrupted, AHeaderThatDoesNotSayWhatWasPlannedIsRefused) {
  header_.settings.erase("planned_cells");
  write(first_line());
  EXPECT_TRUE(is_refused_for("does not say which cells were planned")) << refusal();
}

TEST_F(Interrupted, APlanThatNoReaderCouldTakeBackIsRefused) {
  header_.settings["planned_cells"] = {sample_id("a"), sample_id("a")};
  write(first_line());
  EXPECT_TRUE(is_refused_for("plans cell \"m/full/a/sim:h200\" twice")) << refusal();
  header_.settings["planned_cells"] = {"m/full/a/sim:a100"};
  write(first_line());
  EXPECT_TRUE(is_refused_for("names no testbed for device sim:a100")) << refusal();
  header_.settings["planned_cells"] = {"../../x"};
  write(first_line());
  EXPECT_TRUE(is_refused_for("\"../../x\" is not a cell id")) << refusal();
}

TEST_F(Interrupted, ARowThatWasNotPlannedIsRefused) {
  write(first_line() + row("d"));
  EXPECT_TRUE(is_refused_for("did not plan the row \"m/full/d/sim:h200\"")) << refusal();
}

}  // namespace
}  // namespace highwater
