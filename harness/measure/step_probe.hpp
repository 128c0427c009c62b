#pragma once

#include <array>
#include <functional>

#include "harness/core/phase.hpp"
#include "harness/measure/memory_meter.hpp"

namespace highwater {

/// What one step reached.
struct StepReading {
  MemoryCounts peak;  ///< over the whole step, phases and the time between them
  std::array<Bytes, kPhaseNames.size()> phase_peak_allocated{};
  MemoryCounts rest;  ///< after the step
  /// Requested bytes that the last forward left behind.
  Bytes activations_requested = 0;
  /// Requested bytes that the optimizer phase took and freed again, at its highest.
  Bytes optimizer_temporaries = 0;
};

/// Reads the peak of each phase. A device has one peak counter and resetting sets it to the current
/// value, so each boundary folds what was reached since the last one into the step and the phase.
class StepProbe final : public PhaseObserver {
 public:
  StepProbe(MemoryMeter& meter, AllocationRecorder& recorder)
      : meter_(meter), recorder_(recorder) {}

  void begin_step();
  StepReading end_step();
  /// Called after each backward, while gradients are alive.
  void on_backward_end(std::function<void()> callback) { backward_end_ = std::move(callback); }

  void phase_begins(Phase phase) override;
  void phase_ends(Phase phase) override;

 private:
  MemoryCounts fold();

  MemoryMeter& meter_;
  AllocationRecorder& recorder_;
  StepReading reading_;
  Bytes requested_before_forward_ = 0;
  std::function<void()> backward_end_;
};

}  // namespace highwater
