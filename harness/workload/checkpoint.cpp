#include "harness/workload/checkpoint.hpp"

#include "harness/core/error.hpp"
#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/recompute.hpp"
#include "harness/workload/saved_tensors.hpp"

namespace highwater {
namespace {

thread_local bool in_recompute = false;

/// Thrown out of the second run once the last dropped tensor is rebuilt; nothing after it is
/// needed.
struct AllRebuilt {};

/// One run of one segment. Lives as long as a node of the graph holds a hook of it.
class CheckpointedRun {
 public:
  CheckpointedRun(const Segment& segment, const Tensors& inputs)
      : segment_(segment),
        device_(inputs.at(0).device()),
        random_(RandomState::current(device_)),
        autocast_(AutocastState::current(device_.type())) {
    for (const at::Tensor& input : inputs) {
      inputs_.push_back(input.detach().requires_grad_(input.requires_grad()));
    }
  }

  std::size_t drop() { return dropped_++; }

  at::Tensor rebuild(std::size_t index) {
    if (rebuilt_.size() <= index || !rebuilt_[index].defined()) run_again();
    return std::exchange(rebuilt_.at(index), at::Tensor());
  }

  void keep(const at::Tensor& tensor) {
    rebuilt_.push_back(tensor.detach());
    if (rebuilt_.size() == dropped_) throw AllRebuilt();
  }

 private:
  void run_again();

  Segment segment_;
  at::Device device_;
  RandomState random_;
  AutocastState autocast_;
  Tensors inputs_;
  std::size_t dropped_ = 0;
  Tensors rebuilt_;
};

/// First run: nothing is kept but the tensor's number.
class DropHooks final : public torch::autograd::SavedVariableHooks {
 public:
  explicit DropHooks(std::shared_ptr<CheckpointedRun> run) : run_(std::move(run)) {}
  void call_pack_hook(const at::Tensor&) override { index_ = run_->drop(); }
  at::Tensor call_unpack_hook() override { return run_->rebuild(index_); }

 private:
  std::shared_ptr<CheckpointedRun> run_;
  std::size_t index_ = 0;
};

/// Second run: tensors arrive in the order of the first. Its graph is dropped at once, so these are
/// never unpacked.
class KeepHooks final : public torch::autograd::SavedVariableHooks {
 public:
  explicit KeepHooks(CheckpointedRun& run) : run_(run) {}
  void call_pack_hook(const at::Tensor& tensor) override { run_.keep(tensor); }
  at::Tensor call_unpack_hook() override {
    throw InternalError("the graph of a recomputed segment was used for backward");
  }

 private:
  CheckpointedRun& run_;
};

void CheckpointedRun::run_again() {
  rebuilt_.clear();
  const RecomputeGuard recompute;
  const RandomStateGuard random(device_);
  random_.restore();
  const at::AutoGradMode grad_mode(true);
  try {
    const AutocastGuard autocast(autocast_);
    const SavedTensorHooksGuard hooks([this] { return std::make_unique<KeepHooks>(*this); });
    segment_.run(inputs_);
  } catch (const AllRebuilt&) {
  }
  // A recompute inside somebody's autocast region must not leave its casts to the next forward.
  at::autocast::clear_cache();
  if (rebuilt_.size() != dropped_) {
    throw InternalError("segment \"" + segment_.name + "\" saved " + std::to_string(dropped_) +
                        " tensors in forward but " + std::to_string(rebuilt_.size()) +
                        " when recomputed: it is not the same computation twice");
  }
}

}  // namespace

bool recomputing() { return in_recompute; }
RecomputeGuard::RecomputeGuard() : before_(std::exchange(in_recompute, true)) {}
RecomputeGuard::~RecomputeGuard() { in_recompute = before_; }

Tensors Checkpoint::run(const Segment& segment, const Tensors& inputs) const {
  const auto run = std::make_shared<CheckpointedRun>(segment, inputs);
  const SavedTensorHooksGuard hooks([run] { return std::make_unique<DropHooks>(run); });
  return segment.run(inputs);
}

}  // namespace highwater
