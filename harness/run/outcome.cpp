#include "harness/run/outcome.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {
namespace {

constexpr std::array<const char*, 6> kOutcomeNames = {"measured",  "skipped",   "out_of_memory",
                                                      "incorrect", "timed_out", "failed"};

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

// A metric with a fraction would be cut silently by the library's conversion.
void read_integers(const nlohmann::json& json, const char* key,
                   std::map<std::string, std::int64_t>& target) {
  target.clear();
  const auto found = json.find(key);
  if (found == json.end()) return;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_number_integer()) {
      throw UsageError(std::string(key) + "." + name + " must be a whole number, not " +
                       value.dump());
    }
    target[name] = value.get<std::int64_t>();
  }
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Promise, metric, minimum_saving_bytes)

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
          {"metrics", outcome.metrics},
          {"attributes", outcome.attributes},
          {"numerics", nullptr},
          {"prediction", outcome.prediction},
          {"promise", nullptr}};
  if (outcome.numerics) json["numerics"] = *outcome.numerics;
  if (outcome.promise) json["promise"] = *outcome.promise;
}

void from_json(const nlohmann::json& json, CellOutcome& outcome) {
  outcome = CellOutcome{};
  outcome.kind = outcome_kind_from_text(json.at("outcome").get<std::string>());
  read_if_present(json, "reason", outcome.reason);
  read_if_present(json, "attributes", outcome.attributes);
  read_integers(json, "metrics", outcome.metrics);
  read_integers(json, "prediction", outcome.prediction);
  read_optional(json, "numerics", outcome.numerics);
  read_optional(json, "promise", outcome.promise);
}

}  // namespace highwater
