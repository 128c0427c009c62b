#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/record.hpp"

namespace highwater {

/// The form of noise.jsonl; results/schema/ publishes it.
inline constexpr std::string_view kNoiseSchema = "highwater.noise/1";

/// More rounds than anyone measures: a file that claims more is damaged.
inline constexpr int kMostRounds = 1000;

/// Values by metric, one for each round that measured it, in the order of rounds.
using Series = std::map<std::string, std::vector<std::int64_t>>;

/// What the rounds say of one cell.
struct RepeatedCell {
  std::string cell;
  Series metrics;
  Series high;                        ///< bounded only: the metrics that differ at the high end
  std::vector<std::string> failures;  ///< "round 2: failed: why", for people

  bool operator==(const RepeatedCell&) const = default;
};

/// The same cells measured again and again: noise.jsonl, line 1 what holds for all, then one line a
/// cell. A number that no round moved stands there once.
struct Repeats {
  std::string suite;
  std::string created;                          ///< UTC, of the first round
  int rounds = 0;                               ///< at least 2
  std::map<std::string, Testbed> testbeds;      ///< by device
  std::map<std::string, std::string> versions;  ///< as in RunHeader
  std::vector<RepeatedCell> cells;              ///< measured or failed in some round; ids unique

  bool operator==(const Repeats&) const = default;
};

/// The file's whole text.
std::string repeats_text(const Repeats& repeats);

/// Reads noise.jsonl. @throws UsageError "file:line: ..." on anything that is not of kNoiseSchema.
Repeats read_repeats(const std::filesystem::path& file);

/// FOLDER/round-<number>, from 1: a run folder.
std::filesystem::path round_folder(const std::filesystem::path& folder, int number);

/// The finished rounds of a noise folder, in order, and what a reader should be told: a round that
/// was interrupted, or is being measured, is left out.
struct Rounds {
  std::vector<RunRecord> runs;
  std::vector<std::string> warnings;
};

/// @throws UsageError where the folder holds no round, or one that cannot be read.
Rounds read_rounds(const std::filesystem::path& folder);

}  // namespace highwater
