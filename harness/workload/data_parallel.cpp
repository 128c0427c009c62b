#include "harness/workload/data_parallel.hpp"

#include "harness/core/error.hpp"
#include "harness/workload/handed_on_state.hpp"

namespace highwater {
namespace {

Tensors state_of(const Model& model) {
  Tensors tensors = model.parameters();
  for (at::Tensor& buffer : model.buffers()) tensors.push_back(std::move(buffer));
  return tensors;
}

Tensors moved(const Tensors& tensors, at::Device device) {
  Tensors there;
  for (const at::Tensor& tensor : tensors) {
    there.push_back(tensor.to(device, tensor.scalar_type(), /*non_blocking=*/true));
  }
  return there;
}

/// Adds to a gradient, or becomes it.
void accumulate(const at::Tensor& parameter, const at::Tensor& gradient) {
  const at::Tensor here = gradient.to(parameter.device());
  at::Tensor& sum = parameter.mutable_grad();
  if (sum.defined()) {
    sum.add_(here);
  } else {
    sum = here;
  }
}

}  // namespace

DataParallel::DataParallel(std::shared_ptr<Model> model,
                           std::vector<std::shared_ptr<Model>> replicas, const StepPlan& plan)
    : models_{std::move(model)} {
  if (dynamic_cast<HandsOnState*>(models_.front().get()) != nullptr) {
    throw InapplicableError("each replica would hand on the state of its own part of the batch");
  }
  for (auto& replica : replicas) models_.push_back(std::move(replica));
  for (const auto& each : models_) {
    chains_.emplace_back(*each, plan);
    devices_.push_back(each->parameters().at(0).device());
  }
  release();
}

void DataParallel::replicate() {
  const at::NoGradGuard no_grad;
  const Tensors source = state_of(*models_.front());
  for (std::size_t replica = 1; replica < models_.size(); ++replica) {
    const Tensors target = state_of(*models_[replica]);
    for (std::size_t i = 0; i < source.size(); ++i) {
      target[i].set_data(source[i].detach().to(devices_[replica], source[i].scalar_type(),
                                               /*non_blocking=*/true, /*copy=*/true));
    }
  }
}

Tensors DataParallel::forward(const Batch& batch) const {
  const std::vector<Batch> parts = batch.split(static_cast<std::int64_t>(models_.size()));
  std::vector<Tensors> gathered;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tensors outputs = moved(chains_[i].run(moved(parts[i].inputs, devices_[i])), devices_[0]);
    gathered.resize(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) gathered[k].push_back(outputs[k]);
  }
  Tensors joined;
  for (const Tensors& pieces : gathered) joined.push_back(at::cat(pieces));
  return joined;
}

// After the whole of backward, as DataParallel's does: the engine has a thread for each device, and
// two of them must not add to one gradient.
void DataParallel::reduce_gradients() {
  const at::NoGradGuard no_grad;
  const Tensors own = models_.front()->parameters();
  for (std::size_t replica = 1; replica < models_.size(); ++replica) {
    const Tensors parameters = models_[replica]->parameters();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (parameters[i].grad().defined()) accumulate(own[i], parameters[i].grad());
      parameters[i].mutable_grad().reset();
    }
  }
  release();
}

void DataParallel::release() {
  const at::NoGradGuard no_grad;
  for (std::size_t replica = 1; replica < models_.size(); ++replica) {
    for (const at::Tensor& tensor : state_of(*models_[replica])) {
      tensor.mutable_grad().reset();
      tensor.set_data(at::empty({0}, tensor.options()));
    }
  }
}

Tensors DataParallel::replicated() const {
  Tensors tensors;
  for (std::size_t replica = 1; replica < models_.size(); ++replica) {
    for (at::Tensor& tensor : state_of(*models_[replica])) tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Bytes DataParallel::replica_bytes() const {
  Bytes bytes = 0;
  for (const at::Tensor& tensor : state_of(*models_.front())) {
    bytes += static_cast<Bytes>(tensor.nbytes());
  }
  return bytes * static_cast<Bytes>(models_.size() - 1);
}

}  // namespace highwater
