#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace highwater {

/// The parts of one training step, in the order in which they run.
enum class Phase : std::size_t { zero_grad, forward, backward, optimizer };

constexpr std::array<std::string_view, 4> kPhaseNames = {"zero_grad", "forward", "backward",
                                                         "optimizer"};

constexpr std::string_view to_text(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

/// Is told when a phase begins and ends. Phases do not nest; with micro-batches, forward and
/// backward occur several times a step.
class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  virtual void phase_begins(Phase phase) = 0;
  virtual void phase_ends(Phase phase) = 0;
};

/// Marks one phase for the lifetime of the object; a null observer costs nothing.
class PhaseScope {
 public:
  PhaseScope(PhaseObserver* observer, Phase phase) : observer_(observer), phase_(phase) {
    if (observer_ != nullptr) observer_->phase_begins(phase_);
  }
  ~PhaseScope() {
    if (observer_ != nullptr) observer_->phase_ends(phase_);
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  PhaseObserver* observer_;
  Phase phase_;
};

}  // namespace highwater
