#include "harness/run/workload_factory.hpp"

#include "harness/workload/random_state.hpp"

namespace highwater {

Workload make_workload(const Cell& cell, at::Device device, const StepPlan& plan,
                       PhaseObserver* observer, std::optional<double> dropout) {
  seed_generators(device, kSeed);
  Workload workload;
  workload.model = make_model(
      cell.model,
      {.preset = cell.preset, .device = device, .batch = cell.batch, .dropout = dropout});
  workload.batch = workload.model->example_batch();
  workload.runner = std::make_unique<StepRunner>(workload.model, plan, observer);
  return workload;
}

}  // namespace highwater
