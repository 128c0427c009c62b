#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// A trace (trace_file.hpp) of the phases of a step: each measured cell a process, each phase of
/// its steady step a span, with a counter of the most bytes that were allocated inside it. A record
/// holds no times and no moments within a phase, so the time is an order and nothing else: 1,000 us
/// stand for one phase, and the counter keeps the phase's peak from its begin to its end. After the
/// last phase it falls to what rests between two steps. A bounded cell has a second counter, for
/// its high end. Cells without phases are left out. What single allocations do over a step is told
/// by event_trace.hpp.
std::string chrome_trace_json(const ExportInput& input);

}  // namespace highwater
