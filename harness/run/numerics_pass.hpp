#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/outcome.hpp"
#include "harness/workload/technique.hpp"

namespace highwater {

/// Trains the cell's model once as baseline and once with its techniques, from the same seed on the
/// same batch, and compares: gradients of the first three updates bit by bit where every technique
/// is bit-equal, else gradients of the first and losses of all three within the sum of their
/// tolerances. Under autocast the gradients' tolerance is at least three times what rounding
/// weights and inputs to its precision does to the baseline's own gradients: a property of the
/// network, measured each time. Then the loss must fall over Protocol::numerics_steps and all
/// weights stay finite.
///
/// Where the batch is split, dropout is off on both sides (other masks would be drawn), and a model
/// with batch statistics counts as different by design.
Numerics check_numerics(const DeviceSession& session, const Cell& cell,
                        const std::vector<TechniqueDeclaration>& techniques,
                        const Protocol& protocol);

}  // namespace highwater
