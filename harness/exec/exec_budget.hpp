#pragma once

#include <string>

#include "harness/exec/exec_report.hpp"

namespace highwater {

/// A run of a program held against "no process may take more of one device than this".
struct BudgetVerdict {
  ExitCode code = ExitCode::ok;  ///< ok, regression, or cell_error where nothing could be judged
  std::string text;              ///< for people: one line
};

/// What counts is the peak that torch allocated, the `peak_allocated_bytes` of cells; where torch
/// could not be asked for that of the whole run, the peak that the driver gave out, which is no
/// less. Contexts do not count. A run that ended with an error, or used no device, keeps no budget.
BudgetVerdict judge_budget(const ExecRun& run, Bytes budget);

}  // namespace highwater
