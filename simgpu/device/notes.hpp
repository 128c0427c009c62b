#pragma once

#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// What the simulation could not answer as a card would; the report of `report.hpp` carries it.
enum class NoteKind {
  unanswered,     ///< a call that is not simulated; the program was stopped
  size_by_value,  ///< a size that depends on a value read from the device
  bounded_size,  ///< a size that cannot be known without a device; an end of its range was answered
  unlike_device,  ///< anything else in which a card may differ
};

/// The word for a kind in pages and reports, e.g. "bounded-size".
SIMGPU_SHARED const char* note_word(NoteKind kind);

/// Counts one more occurrence of `text`, a short phrase naming the call or operator and the sizes.
/// Equal texts are counted, not kept twice. Thread-safe.
SIMGPU_SHARED void note(NoteKind kind, const std::string& text);

}  // namespace simgpu
