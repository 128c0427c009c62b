#include "harness/workload/checkpoint.hpp"

#include <torch/csrc/autograd/saved_variable.h>

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

/// What must be the same of a tensor in both runs.
struct Metadata {
  std::vector<std::int64_t> sizes;
  at::ScalarType dtype;

  explicit Metadata(const at::Tensor& tensor)
      : sizes(tensor.sizes().vec()), dtype(tensor.scalar_type()) {}
  bool operator==(const Metadata&) const = default;
};

/// One run of one segment. Lives as long as a node of the graph holds a hook of it.
class CheckpointedRun {
 public:
  CheckpointedRun(const Segment& segment, const Tensors& inputs)
      : segment_(segment),
        device_(inputs.at(0).device()),
        random_(RandomState::current(device_)),
        autocast_(AutocastState::current(device_.type())),
        cpu_autocast_(AutocastState::current(at::kCPU)) {
    for (const at::Tensor& input : inputs) {
      inputs_.emplace_back(input, /*is_output=*/false);
      needs_gradient_.push_back(input.requires_grad());
    }
  }

  std::size_t drop(const at::Tensor& tensor) {
    dropped_.emplace_back(tensor);
    return dropped_.size() - 1;
  }

  at::Tensor rebuild(std::size_t index) {
    if (rebuilt_.size() <= index || !rebuilt_[index].defined()) run_again();
    return std::exchange(rebuilt_.at(index), at::Tensor());
  }

  void keep(const at::Tensor& tensor) {
    if (Metadata(tensor) != dropped_.at(rebuilt_.size())) {
      complain("tensor " + std::to_string(rebuilt_.size()) + " of another shape or dtype");
    }
    rebuilt_.push_back(tensor.detach());
    if (rebuilt_.size() == dropped_.size()) throw AllRebuilt();
  }

 private:
  void run_again();
  Tensors inputs() const;
  [[noreturn]] void complain(const std::string& what) const {
    throw InternalError("segment \"" + segment_.name + "\" saved " +
                        std::to_string(dropped_.size()) + " tensors in forward but " + what +
                        " when recomputed: it is not the same computation twice");
  }

  Segment segment_;
  at::Device device_;
  RandomState random_;
  AutocastState autocast_;
  AutocastState cpu_autocast_;
  std::vector<torch::autograd::SavedVariable> inputs_;
  std::vector<bool> needs_gradient_;
  std::vector<Metadata> dropped_;
  Tensors rebuilt_;
};

/// First run: nothing is kept but the tensor's number and shape.
class DropHooks final : public torch::autograd::SavedVariableHooks {
 public:
  explicit DropHooks(std::shared_ptr<CheckpointedRun> run) : run_(std::move(run)) {}
  void call_pack_hook(const at::Tensor& tensor) override { index_ = run_->drop(tensor); }
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

/// The inputs as leaves of a graph of their own.
Tensors CheckpointedRun::inputs() const {
  Tensors tensors;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    tensors.push_back(inputs_[i].unpack().detach().requires_grad_(needs_gradient_[i]));
  }
  return tensors;
}

void CheckpointedRun::run_again() {
  const Tensors again = inputs();
  rebuilt_.clear();
  const RecomputeGuard recompute;
  const RandomStateGuard random(device_);
  random_.restore();
  const at::AutoGradMode grad_mode(true);
  try {
    const AutocastGuard cpu_autocast(cpu_autocast_);
    const AutocastGuard autocast(autocast_);
    const SavedTensorHooksGuard hooks([this] { return std::make_unique<KeepHooks>(*this); });
    segment_.run(again);
  } catch (const AllRebuilt&) {
  }
  if (rebuilt_.size() != dropped_.size()) complain(std::to_string(rebuilt_.size()));
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
