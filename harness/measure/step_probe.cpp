#include "harness/measure/step_probe.hpp"

#include <algorithm>

namespace highwater {
namespace {

void raise(Bytes& to, Bytes value) { to = std::max(to, value); }

void raise(std::optional<Bytes>& to, std::optional<Bytes> value) {
  if (value) to = std::max(to.value_or(0), *value);
}

}  // namespace

void StepProbe::begin_step() {
  reading_ = {};
  meter_.reset_peak();
}

StepReading StepProbe::end_step() {
  fold();
  reading_.rest = meter_.current();
  return reading_;
}

void StepProbe::phase_begins(Phase phase) {
  fold();
  recorder_.begin_interval(phase);
  if (phase == Phase::forward) requested_before_forward_ = meter_.current().requested;
}

void StepProbe::phase_ends(Phase phase) {
  const MemoryCounts reached = fold();
  raise(reading_.phase_peak_allocated[static_cast<std::size_t>(phase)], reached.allocated);
  recorder_.begin_interval(std::nullopt);
  if (phase == Phase::forward) {
    reading_.activations_requested = meter_.current().requested - requested_before_forward_;
  }
  if (phase == Phase::optimizer) {
    reading_.optimizer_temporaries = reached.requested - meter_.current().requested;
  }
  if (phase == Phase::backward && backward_end_) backward_end_();
}

MemoryCounts StepProbe::fold() {
  const MemoryCounts reached = meter_.peak();
  raise(reading_.peak.allocated, reached.allocated);
  raise(reading_.peak.requested, reached.requested);
  raise(reading_.peak.active, reached.active);
  raise(reading_.peak.reserved, reached.reserved);
  meter_.reset_peak();
  return reached;
}

}  // namespace highwater
