#include "harness/record/row_history.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace highwater {
namespace {

std::optional<BaselineRow> old_row(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    BaselineRow row{.cell = json.at("cell").get<std::string>(),
                    .metric = json.at("metric").get<std::string>(),
                    .value = json.at("value").get<std::int64_t>(),
                    .anchor = std::nullopt,
                    .tolerance = json.value("tolerance", std::int64_t{0}),
                    .date = json.at("date").get<std::string>(),
                    .reason = json.at("reason").get<std::string>()};
    if (json.contains("high")) row.value.high = json.at("high").get<std::int64_t>();
    if (json.contains("anchor")) row.anchor = json.at("anchor").get<std::int64_t>();
    return row;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

bool says_the_same(const RowChange& change) {
  if (!change.before || !change.after) return false;
  BaselineRow before = *change.before;
  if (!before.anchor) {
    before.anchor = change.after->anchor;
    before.tolerance = change.after->tolerance;
  }
  return before == *change.after;
}

/// Reads the text line by line and keeps the rows of one file of one commit together.
class Reader {
 public:
  explicit Reader(std::string_view cell) : cell_(cell) {}

  void take(std::string_view line) {
    if (line.starts_with("commit ")) {
      finish();
      commit_ = line.substr(7, line.rfind(' ') - 7);
      date_ = line.substr(line.rfind(' ') + 1);
    } else if (line.starts_with("diff ")) {
      finish();
    } else if (line.starts_with("--- ") || line.starts_with("+++ ")) {
      take_name(line.substr(4));
    } else if (line.starts_with('-') || line.starts_with('+')) {
      take_row(line.front(), line.substr(1));
    }
  }

  std::vector<RowChange> finish() {
    for (auto& [metric, change] : open_) {
      if (!says_the_same(change)) changes_.push_back(std::move(change));
    }
    open_.clear();
    return changes_;
  }

 private:
  void take_name(std::string_view name) {
    if (name != "/dev/null") testbed_ = std::filesystem::path(name).parent_path().filename();
  }

  void take_row(char sign, std::string_view text) {
    auto row = old_row(text);
    if (!row || row->cell != cell_) return;
    RowChange& change = open_[row->metric];
    change = {.date = date_,
              .commit = commit_,
              .testbed = testbed_,
              .metric = row->metric,
              .before = std::move(change.before),
              .after = std::move(change.after)};
    (sign == '-' ? change.before : change.after) = std::move(row);
  }

  std::string_view cell_;
  std::string commit_;
  std::string date_;
  std::string testbed_;
  std::map<std::string, RowChange> open_;
  std::vector<RowChange> changes_;
};

}  // namespace

std::vector<RowChange> row_history(std::string_view log, std::string_view cell) {
  Reader reader(cell);
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    reader.take(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return reader.finish();
}

}  // namespace highwater
