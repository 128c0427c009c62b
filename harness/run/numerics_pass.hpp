#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/outcome.hpp"
#include "harness/workload/technique.hpp"

namespace highwater {

/// Trains the cell's model once as baseline and once with its techniques, from the same seed on the
/// same batch, and compares three updates.
///
/// Where every technique is bit-equal, all gradients of all three updates must be. Else, within the
/// sum of the techniques' tolerances: each parameter's gradient of the first update, by its L2 norm
/// (a gradient a thousand times smaller than the largest is held to the latter's scale); the three
/// losses; and, within one half, the distance that the weights travelled, which tells a wrong or
/// missing update.
///
/// Under autocast, and where saved values are rounded, the tolerances of gradients and losses are
/// at least three times what rounding weights and inputs to that precision does to the baseline's
/// own: a property of the network, measured each time.
///
/// Where the batch is split, dropout is off on both sides (other masks would be drawn). A model
/// with batch statistics then computes something else by design: its gradients are compared with
/// those of the parts, one plain backward each, summed by hand.
///
/// Always, the loss must fall over Protocol::numerics_steps and all weights stay finite.
Numerics check_numerics(const DeviceSession& session, const Cell& cell,
                        const std::vector<TechniqueDeclaration>& techniques,
                        const Protocol& protocol);

}  // namespace highwater
