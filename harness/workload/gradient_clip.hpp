#pragma once

#include "harness/workload/batch.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Limits the gradients of `parameters` in place. The norm is taken over all of them and stays on
/// the device, as Python's clip_grad_norm_ does; LibTorch's own reads it back, which waits for the
/// device.
void clip_gradients(const Tensors& parameters, const GradientClip& clip);

}  // namespace highwater
