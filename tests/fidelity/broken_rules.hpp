#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fidelity/allocator/rules.hpp"

namespace highwater::oracle {

/// A policy that differs from the published one in one rule.
struct BrokenRules {
  std::string name;
  Rules rules;

  friend void PrintTo(const BrokenRules& broken, std::ostream* out) { *out << broken.name; }
};

/// Breaks that any program can show, whatever its settings.
std::vector<BrokenRules> broken_everyday_rules();

/// Breaks that show with several streams, settings or little memory only.
std::vector<BrokenRules> broken_special_rules();

}  // namespace highwater::oracle
