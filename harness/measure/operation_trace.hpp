#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/allocation_log.hpp"

namespace highwater {

/// Makes every thread know which operators it is running, from now on: one string an operator.
/// Calling it again changes nothing.
void trace_operations();

/// The innermost operator or autograd node running in this thread; empty outside of any, and before
/// trace_operations().
std::string running_operator();

/// Marks what this thread does, and what autograd later does to differentiate it, as part of a
/// module. The innermost scope wins.
class ModuleScope {
 public:
  explicit ModuleScope(const std::string& module);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  std::string module_;
  std::uint64_t first_node_;  ///< sequence number of the first autograd node made inside
};

/// Where an allocation in this thread comes from. The operator is the outermost one, in backward
/// the autograd node, and where another does the work that one too: "aten::linear > aten::addmm".
/// Those that only allocate ("aten::empty") are not named beside others.
Origin current_origin();

}  // namespace highwater
