#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/doctor/machine.hpp"

namespace highwater {

/// Whether something is there, and which one, or what is wrong with it.
struct Finding {
  bool is_there = false;
  std::string what;
};

/// One thing that this machine may have. `look` gets `argument`, so that one function serves
/// several rows.
struct Check {
  std::string_view name;
  bool is_needed;  ///< the simulation does not work without it
  std::string_view purpose;
  std::string_view remedy;  ///< what to do where it is missing
  Finding (*look)(const Machine&, std::string_view argument);
  std::string_view argument = {};
};

/// The whole table, in the order in which it is shown.
std::span<const Check> machine_checks();

struct CheckResult {
  const Check* check;
  Finding finding;
};

std::vector<CheckResult> examine(const Machine& machine);

/// Whether everything is there that the simulation needs.
bool is_ready(std::span<const CheckResult> results);

}  // namespace highwater
