#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/allocation_log.hpp"

namespace highwater {

/// While one lives, every thread knows which operators and module scopes it is in, at the price of
/// a string each: whoever takes times must not hold one.
class OperationTrace {
 public:
  OperationTrace();
  ~OperationTrace();
  OperationTrace(const OperationTrace&) = delete;
  OperationTrace& operator=(const OperationTrace&) = delete;
};

/// The innermost operator or autograd node running in this thread; empty outside of any, and where
/// nobody traces.
std::string running_operator();

/// Marks what this thread does, and what autograd later does to differentiate it, as part of a
/// module, where somebody traces. The innermost scope wins; one without a name is none.
class ModuleScope {
 public:
  explicit ModuleScope(const std::string& module);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  std::string module_;            ///< empty where nobody traced when it began
  std::uint64_t first_node_ = 0;  ///< sequence number of the first autograd node made inside
};

/// Where an allocation in this thread comes from. The operator is the outermost one, in backward
/// the autograd node, and where another does the work that one too: "aten::linear > aten::addmm".
/// Those that only allocate ("aten::empty") are not named beside others.
Origin current_origin();

}  // namespace highwater
