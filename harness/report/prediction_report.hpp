#pragma once

#include "harness/record/record.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// Closed forms beside measurements, one row per cell and predicted metric; no rows where nothing
/// is predicted.
Table prediction_table(const RunRecord& run);

/// What the peak of each cell is made of, beside what closed forms predict of it; no rows where
/// nothing is predicted. `predicted` is the sum of predicted parameters, gradients, optimizer state
/// and activations; "rounding, not alive" is what these four measured at the peak beyond it:
/// positive where blocks are larger than their tensors, negative where not all of them are alive at
/// that moment. The columns from there on sum to the remainder, peak less predicted.
Table peak_table(const RunRecord& run);

}  // namespace highwater
