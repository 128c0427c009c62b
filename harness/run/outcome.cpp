#include "harness/run/outcome.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {
namespace {

constexpr std::array<const char*, 7> kOutcomeNames = {
    "measured", "skipped", "refused", "out_of_memory", "incorrect", "timed_out", "failed"};

constexpr std::array kCertainties = {
    CertaintyRow{Certainty::measured, "measured", "read on the device itself (cpu, cuda)"},
    CertaintyRow{Certainty::exact, "exact",
                 "simulated, and every size was known, or made no difference to any number"},
    CertaintyRow{
        Certainty::bounded, "bounded",
        "simulated twice, because sizes were asked for that only a real device knows: with "
        "the lowest they can have, and with the highest"},
    CertaintyRow{Certainty::refused, "refused",
                 "not simulated: the program asked for what only a real device knows"},
};

// Metrics that are a difference of two readings; all others count something.
constexpr std::array<std::string_view, 4> kDifferences = {
    "leak_bytes", "teardown_bytes", "activations_after_forward_bytes", "device_skew_bytes"};

struct NumericsNumber {
  const char* name;
  double Numerics::*member;
};

constexpr std::array kNumericsNumbers = {
    NumericsNumber{"gradient_difference", &Numerics::gradient_difference},
    NumericsNumber{"tolerance", &Numerics::tolerance},
    NumericsNumber{"first_loss", &Numerics::first_loss},
    NumericsNumber{"last_loss", &Numerics::last_loss},
};

template <typename T>
void read_optional(const nlohmann::json& json, const char* key, std::optional<T>& target) {
  const auto found = json.find(key);
  target = found == json.end() || found->is_null() ? std::optional<T>() : found->get<T>();
}

template <typename T>
void read_if_present(const nlohmann::json& json, const char* key, T& target) {
  if (const auto found = json.find(key); found != json.end()) found->get_to(target);
}

// What lies outside would be cut or wrapped silently by the library's conversion.
std::int64_t read_whole_number(const std::string& what, const nlohmann::json& value) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const bool above = value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
  const bool beyond = value.is_number_float() && std::abs(value.get<double>()) >= 0x1p63;
  if (above || beyond) {
    throw UsageError(what + " must fit into 64 signed bits, and " + value.dump() + " does not");
  }
  if (!value.is_number_integer()) {
    throw UsageError(what + " must be a whole number, not " + value.dump());
  }
  return value.get<std::int64_t>();
}

std::int64_t not_negative(const std::string& what, std::int64_t value) {
  if (value >= 0) return value;
  throw UsageError(what + " cannot be negative, but is " + std::to_string(value));
}

void read_metrics(const nlohmann::json& json, const char* key,
                  std::map<std::string, std::int64_t>& target) {
  target.clear();
  const auto found = json.find(key);
  if (found == json.end()) return;
  if (!found->is_object()) throw UsageError(std::string(key) + " must be an object");
  for (const auto& [name, value] : found->items()) {
    target[name] = read_metric_value(std::string(key) + "." + name, name, value);
  }
}

std::optional<Certainty> read_certainty(const nlohmann::json& json) {
  std::optional<std::string> text;
  read_optional(json, "certainty", text);
  if (!text) return std::nullopt;
  const auto* row = std::ranges::find(kCertainties, *text, &CertaintyRow::name);
  if (row != kCertainties.end()) return row->certainty;
  std::vector<std::string> names;
  for (const CertaintyRow& known : kCertainties) names.emplace_back(known.name);
  throw UsageError(unknown_name("certainty", *text, names));
}

std::string certainty_fault(const CellOutcome& outcome) {
  const bool measured =
      outcome.kind == OutcomeKind::measured || outcome.kind == OutcomeKind::incorrect;
  const bool refused = outcome.kind == OutcomeKind::refused;
  if ((measured || refused) != outcome.certainty.has_value()) {
    return "it is " + to_text(outcome.kind) + ", but " +
           (outcome.certainty ? "has a certainty" : "has no certainty");
  }
  if (refused != (outcome.certainty == Certainty::refused)) {
    return "it is " + to_text(outcome.kind) + ", but its certainty is " +
           to_text(*outcome.certainty);
  }
  if ((outcome.certainty == Certainty::bounded) == outcome.high.empty()) {
    return outcome.high.empty() ? "it is bounded, but has no value at the high end"
                                : "it is not bounded, but has values at the high end";
  }
  for (const auto& [metric, value] : outcome.high) {
    if (!outcome.metrics.contains(metric)) return "it has a high end of " + metric + ", but no low";
  }
  return {};
}

}  // namespace

void to_json(nlohmann::json& json, const Promise& promise) {
  json = {{"metric", promise.metric}, {"minimum_saving_bytes", promise.minimum_saving_bytes}};
}

void from_json(const nlohmann::json& json, Promise& promise) {
  const std::string what = "minimum_saving_bytes";
  json.at("metric").get_to(promise.metric);
  promise.minimum_saving_bytes = not_negative(what, read_whole_number(what, json.at(what)));
}

std::int64_t read_metric_value(const std::string& what, std::string_view id,
                               const nlohmann::json& value) {
  const std::int64_t number = read_whole_number(what, value);
  const bool signed_metric = std::ranges::find(kDifferences, id) != kDifferences.end();
  return signed_metric ? number : not_negative(what, number);
}

std::span<const CertaintyRow> certainty_table() { return kCertainties; }

std::string to_text(Certainty certainty) {
  return std::string(kCertainties.at(static_cast<std::size_t>(certainty)).name);
}

std::string fault_of(const CellOutcome& outcome) {
  if (std::string fault = certainty_fault(outcome); !fault.empty()) return fault;
  if (outcome.kind != OutcomeKind::measured) return {};
  const auto peak = outcome.metrics.find("peak_allocated_bytes");
  if (peak == outcome.metrics.end()) return "it is measured, but has no peak_allocated_bytes";
  return peak->second > 0 ? "" : "it is measured, but its peak_allocated_bytes is 0";
}

std::string to_text(OutcomeKind kind) { return kOutcomeNames.at(static_cast<std::size_t>(kind)); }

OutcomeKind outcome_kind_from_text(const std::string& text) {
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    if (text == kOutcomeNames[i]) return static_cast<OutcomeKind>(i);
  }
  throw UsageError(unknown_name("outcome", text, {kOutcomeNames.begin(), kOutcomeNames.end()}));
}

// NaN and infinity are not JSON: such a number is left out and reads back as NaN. The verdict and
// its sentence still say what was seen.
void to_json(nlohmann::json& json, const Numerics& numerics) {
  json = {{"verdict", numerics.verdict}, {"detail", numerics.detail}};
  for (const auto& [name, member] : kNumericsNumbers) {
    if (std::isfinite(numerics.*member)) json[name] = numerics.*member;
  }
}

void from_json(const nlohmann::json& json, Numerics& numerics) {
  json.at("verdict").get_to(numerics.verdict);
  json.at("detail").get_to(numerics.detail);
  for (const auto& [name, member] : kNumericsNumbers) {
    numerics.*member = json.value(name, std::numeric_limits<double>::quiet_NaN());
  }
}

void to_json(nlohmann::json& json, const CellOutcome& outcome) {
  json = {{"outcome", to_text(outcome.kind)},
          {"reason", outcome.reason},
          {"certainty", nullptr},
          {"metrics", outcome.metrics},
          {"high", outcome.high},
          {"attributes", outcome.attributes},
          {"numerics", nullptr},
          {"prediction", outcome.prediction},
          {"profile", profile_to_json(outcome.profile)},
          {"promises", outcome.promises}};
  if (outcome.certainty) json["certainty"] = to_text(*outcome.certainty);
  if (outcome.numerics) json["numerics"] = *outcome.numerics;
}

void from_json(const nlohmann::json& json, CellOutcome& outcome) {
  outcome = CellOutcome{};
  outcome.kind = outcome_kind_from_text(json.at("outcome").get<std::string>());
  read_if_present(json, "reason", outcome.reason);
  read_if_present(json, "attributes", outcome.attributes);
  outcome.certainty = read_certainty(json);
  read_metrics(json, "metrics", outcome.metrics);
  read_metrics(json, "high", outcome.high);
  read_metrics(json, "prediction", outcome.prediction);
  read_optional(json, "numerics", outcome.numerics);
  read_if_present(json, "promises", outcome.promises);
  if (json.contains("profile")) outcome.profile = profile_from_json(json.at("profile"));
}

}  // namespace highwater
