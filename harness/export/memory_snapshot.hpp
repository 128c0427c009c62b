#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/measure/event_stream.hpp"

namespace highwater {

/// What torch.cuda.memory._dump_snapshot writes, of one cell's process: every event from the first
/// tensor on, and the segments at the end, which torch/cuda/_memory_viz.py and
/// docs.pytorch.org/memory_viz show. Sizes of events are those asked for, as in torch's own, sizes
/// of blocks the rounded ones. In the place of source lines, frames name what the stream knows,
/// from the inside out: operator, module, phase and step. Nothing was timed, so no event has a
/// time.
nlohmann::ordered_json memory_snapshot(const std::string& cell, const EventStream& stream);

}  // namespace highwater
