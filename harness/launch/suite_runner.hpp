#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <vector>

#include "harness/core/install_paths.hpp"
#include "harness/launch/progress.hpp"
#include "harness/matrix/expand.hpp"
#include "harness/run/outcome.hpp"

namespace highwater {

struct RunnerOptions {
  InstallPaths paths;
  Protocol protocol;
  int jobs = 1;                      ///< cell processes at once; see jobs_for
  std::filesystem::path log_folder;  ///< what cells print is kept here; empty = nowhere
};

/// Cell processes at once. `wanted` = 0: up to two, and no more than the machine has cores, so that
/// timed cells on cpu do not disturb each other. Always 1 where a cell runs on cuda: a neighbour on
/// the same card would change what is measured.
int jobs_for(const std::vector<PlannedCell>& plan, int wanted);

/// Called in plan order, from one thread at a time.
using OnOutcome = std::function<void(const Cell&, const CellOutcome&)>;

/// Runs the plan and hands on each outcome as soon as all before it were. After `stop` no cell is
/// started, running ones are killed and yield nothing; what had finished is still handed on.
/// An exception from `on_outcome` stops the run in the same way and comes out of this call.
/// @return whether every cell of the plan was handed on.
bool run_suite(const std::vector<PlannedCell>& plan, const RunnerOptions& options,
               std::atomic<bool>& stop, Progress& progress, const OnOutcome& on_outcome);

}  // namespace highwater
