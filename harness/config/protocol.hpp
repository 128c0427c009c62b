#pragma once

#include <nlohmann/json.hpp>

namespace highwater {

/// How one cell is measured; the numbers of docs/method.md.
struct Protocol {
  /// Steps before the window opens. At least 2: optimizer state appears at the end of the first
  /// step and meets activations in the second; the backward thread's cuBLAS workspace also appears
  /// late.
  int warmup_steps = 2;
  /// Steps inside the window; their peaks must agree to the byte, else the row is `unsteady`.
  int measured_steps = 3;
  /// Timed steps, after two untimed, in a pass of their own without any recording (cpu, cuda).
  int timed_steps = 20;
  /// Steps over which the loss must fall (cpu).
  int numerics_steps = 20;
  /// Wall-clock bound of the whole cell; beyond it the cell is killed and `timed_out`.
  int timeout_seconds = 300;

  bool operator==(const Protocol&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Protocol, warmup_steps, measured_steps, timed_steps,
                                   numerics_steps, timeout_seconds)

}  // namespace highwater
