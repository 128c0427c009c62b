#include "harness/measure/peak_profile.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

// A damaged file must not fill the memory: a few bytes name a million modules. The largest model
// has a thousand.
constexpr std::int64_t kMostModules = 10'000;  // of one path
constexpr std::size_t kLongestPath = 1000;     // of one that stands for several
constexpr std::size_t kMostParts = 100'000;

auto place(const PeakPart& part) {
  return std::tie(part.category, part.phase, part.module, part.op);
}

bool less(const PeakPart& a, const PeakPart& b) { return place(a) < place(b); }

/// A path around its last number.
struct NumberedPath {
  std::string head;  ///< "block."
  std::int64_t number;
  std::string tail;  ///< ".qkv"
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::int64_t parse_number(const std::string& text, const std::string& path) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  throw UsageError("module \"" + path + "\": \"" + text + "\" is no number of a module");
}

/// Whether [start, end) is a whole word between dots.
bool is_word(const std::string& path, std::size_t start, std::size_t end) {
  return (start == 0 || path[start - 1] == '.') && (end == path.size() || path[end] == '.');
}

std::optional<NumberedPath> split_at_last_number(const std::string& path) {
  for (std::size_t end = path.size(); end > 0; --end) {
    if (!is_digit(path[end - 1])) continue;
    std::size_t start = end;
    while (start > 0 && is_digit(path[start - 1])) --start;
    // More digits than any model has layers are some other name.
    if (is_word(path, start, end) && end - start <= 9) {
      const std::string digits = path.substr(start, end - start);
      const std::int64_t number = parse_number(digits, path);
      if (std::to_string(number) == digits) {
        return NumberedPath{path.substr(0, start), number, path.substr(end)};
      }
    }
    end = start + 1;
  }
  return std::nullopt;
}

/// {0, 1, 2, 5} -> "{0-2,5}".
std::string ranges_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return "{" + text + "}";
}

void append_range(const std::string& range, const std::string& path,
                  std::vector<std::int64_t>& numbers) {
  const std::size_t dash = range.find('-');
  const std::int64_t first = parse_number(range.substr(0, dash), path);
  const std::int64_t last =
      dash == std::string::npos ? first : parse_number(range.substr(dash + 1), path);
  const auto known = static_cast<std::int64_t>(numbers.size());
  if (last < first || last - first >= kMostModules - known) {
    throw UsageError("module \"" + path + "\": \"" + range + "\" is no range of modules");
  }
  for (std::int64_t number = first; number <= last; ++number) numbers.push_back(number);
}

/// The paths that a folded one stands for.
std::vector<std::string> paths_of(const std::string& path) {
  const std::size_t open = path.find('{');
  if (open == std::string::npos) return {path};
  if (path.size() > kLongestPath) {
    throw UsageError("a module's path is longer than " + std::to_string(kLongestPath) + " bytes");
  }
  const std::size_t close = path.find('}', open);
  if (close == std::string::npos) throw UsageError("module \"" + path + "\" has no closing brace");
  std::vector<std::int64_t> numbers;
  for (std::size_t start = open + 1; start <= close;) {
    const std::size_t end = std::min(path.find(',', start), close);
    append_range(path.substr(start, end - start), path, numbers);
    start = end + 1;
  }
  std::vector<std::string> paths;
  for (const std::int64_t number : numbers) {
    paths.push_back(path.substr(0, open) + std::to_string(number) + path.substr(close + 1));
  }
  return paths;
}

constexpr const char* kForm =
    "profile must be {category: {phase: [[module, operator, blocks, bytes], ...]}}";

PeakPart read_part(const std::string& category, const std::string& phase,
                   const nlohmann::json& json) {
  try {
    return {.category = category,
            .phase = phase,
            .module = json.at(0).get<std::string>(),
            .op = json.at(1).get<std::string>(),
            .blocks = json.at(2).get<std::int64_t>(),
            .bytes = json.at(3).get<Bytes>()};
  } catch (const nlohmann::json::exception&) {
    throw UsageError(std::string(kForm) + ", and holds " + json.dump());
  }
}

const nlohmann::json& expect(bool holds, const nlohmann::json& json) {
  if (!holds) throw UsageError(kForm);
  return json;
}

}  // namespace

Bytes total_bytes(const PeakProfile& profile) {
  return std::accumulate(profile.begin(), profile.end(), Bytes{0},
                         [](Bytes sum, const PeakPart& part) { return sum + part.bytes; });
}

PeakProfile difference(const PeakProfile& before, const PeakProfile& after) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, PeakPart> parts;
  const auto add = [&parts](const PeakProfile& profile, int sign) {
    for (const PeakPart& part : profile) {
      PeakPart& sum =
          parts
              .emplace(place(part), PeakPart{part.category, part.phase, part.module, part.op, 0, 0})
              .first->second;
      sum.blocks += sign * part.blocks;
      sum.bytes += sign * part.bytes;
    }
  };
  add(before, -1);
  add(after, 1);
  PeakProfile result;
  for (auto& [key, part] : parts) {
    if (part.blocks != 0 || part.bytes != 0) result.push_back(std::move(part));
  }
  return result;
}

PeakProfile folded(const PeakProfile& profile) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string,
                         std::int64_t, Bytes>;
  std::map<Key, std::vector<std::int64_t>> alike;
  PeakProfile result;
  for (const PeakPart& part : profile) {
    if (const auto path = split_at_last_number(part.module)) {
      const Key key(part.category, part.phase, path->head, path->tail, part.op, part.blocks,
                    part.bytes);
      alike[key].push_back(path->number);
    } else {
      result.push_back(part);
    }
  }
  for (auto& [key, numbers] : alike) {
    const auto& [category, phase, head, tail, op, blocks, bytes] = key;
    std::ranges::sort(numbers);
    const std::string number =
        numbers.size() == 1 ? std::to_string(numbers.front()) : ranges_text(numbers);
    result.push_back({category, phase, head + number + tail, op, blocks, bytes});
  }
  std::ranges::sort(result, less);
  return result;
}

PeakProfile unfolded(const PeakProfile& profile) {
  PeakProfile result;
  for (const PeakPart& part : profile) {
    for (const std::string& path : paths_of(part.module)) {
      if (result.size() == kMostParts) {
        throw UsageError("a profile has more than " + std::to_string(kMostParts) + " parts");
      }
      result.push_back(part);
      result.back().module = path;
    }
  }
  std::ranges::sort(result, less);
  return result;
}

std::int64_t modules_of(const std::string& path) {
  return static_cast<std::int64_t>(paths_of(path).size());
}

nlohmann::json profile_to_json(const PeakProfile& profile) {
  nlohmann::json json = nlohmann::json::object();
  for (const PeakPart& part : folded(profile)) {
    json[part.category][part.phase].push_back({part.module, part.op, part.blocks, part.bytes});
  }
  return json;
}

PeakProfile profile_from_json(const nlohmann::json& json) {
  PeakProfile profile;
  for (const auto& [category, phases] : expect(json.is_object(), json).items()) {
    for (const auto& [phase, parts] : expect(phases.is_object(), phases).items()) {
      for (const nlohmann::json& part : expect(parts.is_array(), parts)) {
        profile.push_back(read_part(category, phase, part));
      }
    }
  }
  return unfolded(profile);
}

}  // namespace highwater
