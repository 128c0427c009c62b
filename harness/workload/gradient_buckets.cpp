#include "harness/workload/gradient_buckets.hpp"

#include <algorithm>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

namespace highwater {
namespace {

using Devices = std::vector<c10::Device>;

class Done final : public c10d::Work {
 public:
  explicit Done(const Tensors& tensors)
      : future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()), devices_of(tensors))) {
    future_->markCompleted(c10::IValue(tensors));
  }
  bool isCompleted() override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

 private:
  static Devices devices_of(const Tensors& tensors) {
    return tensors.at(0).is_cpu() ? Devices{} : Devices{tensors.at(0).device()};
  }

  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// The one process of a group of one: the sum over all is what it has.
class Alone final : public c10d::Backend {
 public:
  Alone() : Backend(0, 1) {}
  const std::string getBackendName() const override { return "alone"; }
  c10::intrusive_ptr<c10d::Work> broadcast(Tensors& tensors,
                                           const c10d::BroadcastOptions&) override {
    return c10::make_intrusive<Done>(tensors);
  }
  c10::intrusive_ptr<c10d::Work> allreduce(Tensors& tensors,
                                           const c10d::AllreduceOptions&) override {
    return c10::make_intrusive<Done>(tensors);
  }
};

c10::intrusive_ptr<c10d::ProcessGroup> group_of_one(c10::DeviceType device) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(0, 1);
  group->setBackend(device, c10d::ProcessGroup::BackendType::CUSTOM, c10::make_intrusive<Alone>());
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  return group;
}

std::shared_ptr<c10d::Reducer> make_reducer(const Tensors& parameters, bool views) {
  constexpr std::size_t kFirst = c10d::kDefaultFirstBucketBytes;
  constexpr std::size_t kOthers = c10d::kDefaultBucketBytesCap;
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(parameters, {kFirst, kOthers});
  std::ranges::reverse(buckets);  // gradients come from the last parameter on
  return std::make_shared<c10d::Reducer>(
      parameters, std::move(buckets), group_of_one(parameters.at(0).device().type()),
      std::vector<bool>(parameters.size(), false), kOthers, /*find_unused_parameters=*/false, views,
      std::unordered_map<std::size_t, std::string>{}, kFirst,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
}

}  // namespace

GradientBuckets::GradientBuckets(const Tensors& parameters, bool views)
    : reducer_(make_reducer(parameters, views)) {}

GradientBuckets::~GradientBuckets() { reducer_->remove_autograd_hooks(); }

void GradientBuckets::before_forward() {
  reducer_->prepare_for_forward();
  reducer_->rebuild_buckets();
}

void GradientBuckets::before_last_backward() { reducer_->prepare_for_backward({}); }

Tensors GradientBuckets::tensors() const {
  Tensors tensors;
  for (auto& bucket : reducer_->get_grad_buckets(/*return_zero_tensors=*/false)) {
    tensors.push_back(bucket.getBufferRef());
  }
  return tensors;
}

Bytes GradientBuckets::bytes() const {
  Bytes bytes = 0;
  for (const at::Tensor& bucket : tensors()) bytes += static_cast<Bytes>(bucket.nbytes());
  return bytes;
}

}  // namespace highwater
