#pragma once

#include <nlohmann/json.hpp>

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"

namespace highwater {

/// What the parent asks of a cell process, as one JSON object on its standard input.
/// "catalog" answers a Catalog, "describe" a Testbed, "probe" a DeviceProbe, "measure" a
/// CellOutcome (bounded and without its high end where sizes were asked that only a real device
/// knows), "events" an EventStream, "inspect" an Inspection, "rates" a list of Rate: one line of
/// JSON on the descriptor that --result-fd names.
struct CellRequest {
  std::string command;
  Cell cell;
  Protocol protocol;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CellRequest, command, cell, protocol)

}  // namespace highwater
