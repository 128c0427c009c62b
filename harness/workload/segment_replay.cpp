#include "harness/workload/segment_replay.hpp"

#include <utility>

#include "harness/workload/recompute.hpp"

namespace highwater {
namespace {

thread_local bool in_recompute = false;

}  // namespace

bool recomputing() { return in_recompute; }
RecomputeGuard::RecomputeGuard() : before_(std::exchange(in_recompute, true)) {}
RecomputeGuard::~RecomputeGuard() { in_recompute = before_; }

SegmentReplay::SegmentReplay(Segment segment, const Tensors& inputs)
    : segment_(std::move(segment)),
      device_(inputs.at(0).device()),
      random_(RandomState::current(device_)),
      autocast_(AutocastState::current(device_.type())),
      cpu_autocast_(AutocastState::current(at::kCPU)) {
  for (const at::Tensor& input : inputs) {
    inputs_.emplace_back(input, /*is_output=*/false);
    needs_gradient_.push_back(input.requires_grad());
  }
}

Tensors SegmentReplay::inputs(const std::shared_ptr<torch::autograd::Node>& saved_for) const {
  Tensors tensors;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    tensors.push_back(inputs_[i].unpack(saved_for).detach().requires_grad_(needs_gradient_[i]));
  }
  return tensors;
}

Tensors SegmentReplay::run(const Tensors& inputs) const {
  const RecomputeGuard recompute;
  const RandomStateGuard random(device_);
  random_.restore();
  const at::AutoGradMode grad_mode(true);
  const AutocastGuard cpu_autocast(cpu_autocast_);
  const AutocastGuard autocast(autocast_);
  return segment_.run(inputs);
}

void SegmentReplay::release() {
  for (auto& input : inputs_) input.reset_data();
  random_ = {};
}

}  // namespace highwater
