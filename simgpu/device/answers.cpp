#include "simgpu/device/answers.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <sstream>

#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

using Bytes = std::vector<unsigned char>;

template <class Value>
bool append(Bytes& bytes, std::string_view text) {
  Value value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  const auto* begin = reinterpret_cast<const unsigned char*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
  return true;
}

struct ValueType {
  std::string_view name;
  bool (*append)(Bytes&, std::string_view);
};

constexpr ValueType value_types[] = {
    {"u8", append<std::uint8_t>}, {"i32", append<std::int32_t>}, {"i64", append<std::int64_t>},
    {"f32", append<float>},       {"f64", append<double>},
};

const ValueType* find_type(std::string_view name) {
  const auto* found = std::ranges::find(value_types, name, &ValueType::name);
  return found == std::end(value_types) ? nullptr : found;
}

/// Nothing unless every word is a value of the type and there is at least one.
std::optional<Bytes> values(const ValueType& type, std::span<const std::string> words) {
  Bytes bytes;
  const auto take = [&](const std::string& word) { return type.append(bytes, word); };
  if (words.empty() || !std::ranges::all_of(words, take)) return std::nullopt;
  return bytes;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line.substr(0, line.find('#')))};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

Answers::Answers(std::string_view text, std::string origin) : origin_(std::move(origin)) {
  std::istringstream stream{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(stream, line);) read_line(line, ++number);
}

void Answers::read_line(std::string_view text, int number) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return;
  const bool is_named = find_type(words[0]) == nullptr && words.size() > 1;
  const std::size_t at = is_named ? 1 : 0;
  const ValueType* type = find_type(words[at]);
  auto bytes = type ? values(*type, std::span(words).subspan(at + 1)) : std::nullopt;
  if (!bytes)
    throw ConfigError("line " + std::to_string(number) + " of " + origin_ +
                      " (SIMGPU_READS) must be '[OPERATOR] TYPE VALUE...' with TYPE one of u8, "
                      "i32, i64, f32, f64, as in 'aten::_local_scalar_dense f32 2.5'.");
  sequences_[is_named ? words[0] : ""].lines.push_back({number, std::move(*bytes)});
}

const Answers::Line* Answers::next_line(std::string_view operator_name) {
  if (const auto named = sequences_.find(operator_name);
      named != sequences_.end() && !operator_name.empty()) {
    auto& [lines, next] = named->second;
    return &lines[std::min(next++, lines.size() - 1)];
  }
  const auto plain = sequences_.find("");
  if (plain == sequences_.end()) return nullptr;
  auto& [lines, next] = plain->second;
  return next < lines.size() ? &lines[next++] : nullptr;
}

void Answers::answer(std::string_view operator_name, std::span<unsigned char> target) {
  const Line* line = next_line(operator_name);
  if (line == nullptr) {
    std::ranges::fill(target, static_cast<unsigned char>(0));
    return;
  }
  const Bytes& bytes = line->bytes;
  if (target.size() % bytes.size() != 0)
    throw ConfigError("line " + std::to_string(line->number) + " of " + origin_ +
                      " (SIMGPU_READS) answers with " + std::to_string(bytes.size()) +
                      " bytes, but " + std::string(operator_name) + " reads " +
                      std::to_string(target.size()) + ".");
  for (std::size_t at = 0; at < target.size(); at += bytes.size())
    std::ranges::copy(bytes, target.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace simgpu
