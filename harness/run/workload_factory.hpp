#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "harness/core/phase.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/step_runner.hpp"

namespace highwater {

/// A model, its batch and the loop that trains it, ready for the first step.
struct Workload {
  std::shared_ptr<Model> model;
  Batch batch;
  std::unique_ptr<StepRunner> runner;
};

/// The seed from which weights and batch are drawn; the same in every pass and process.
constexpr std::uint64_t kSeed = 20240607;

/// Seeds the generators, builds everything on `device`.
Workload make_workload(const Cell& cell, at::Device device, const StepPlan& plan,
                       PhaseObserver* observer = nullptr, std::optional<double> dropout = {});

/// Calls `step` until the runner has made one more update: a gradient scaler skips steps until its
/// scale fits, and what needs an optimizer's state must not count those.
/// @throws InternalError after 24 steps without an update (from 65536 a scale reaches 1 after 16).
void update(const Workload& workload, const std::function<void()>& step);

}  // namespace highwater
