#include "harness/workload/checkpoint.hpp"

#include "harness/core/error.hpp"
#include "harness/workload/saved_tensors.hpp"
#include "harness/workload/segment_replay.hpp"

namespace highwater {
namespace {

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
  CheckpointedRun(const Segment& segment, const Tensors& inputs) : replay_(segment, inputs) {}

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
  [[noreturn]] void complain(const std::string& what) const {
    throw InternalError("segment \"" + replay_.name() + "\" saved " +
                        std::to_string(dropped_.size()) + " tensors in forward but " + what +
                        " when recomputed: it is not the same computation twice");
  }

  SegmentReplay replay_;
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

void CheckpointedRun::run_again() {
  const Tensors inputs = replay_.inputs();
  rebuilt_.clear();
  try {
    const SavedTensorHooksGuard hooks([this] { return std::make_unique<KeepHooks>(*this); });
    replay_.run(inputs);
  } catch (const AllRebuilt&) {
  }
  if (rebuilt_.size() != dropped_.size()) complain(std::to_string(rebuilt_.size()));
}

}  // namespace

Tensors Checkpoint::run(const Segment& segment, const Tensors& inputs) const {
  const auto run = std::make_shared<CheckpointedRun>(segment, inputs);
  const SavedTensorHooksGuard hooks([run] { return std::make_unique<DropHooks>(run); });
  return segment.run(inputs);
}

}  // namespace highwater
