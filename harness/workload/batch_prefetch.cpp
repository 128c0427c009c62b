#include "harness/workload/batch_prefetch.hpp"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace highwater {

Batch in_pinned_memory(const Batch& batch) {
  Batch pinned;
  for (const at::Tensor& input : batch.inputs) pinned.inputs.push_back(input.cpu().pin_memory());
  pinned.targets = batch.targets.cpu().pin_memory();
  return pinned;
}

BatchPrefetch::BatchPrefetch(at::Device device, bool records_stream)
    : device_(device),
      records_stream_(records_stream),
      side_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device)),
      copied_(device.type()) {}

at::Tensor BatchPrefetch::copied(const at::Tensor& host) const {
  return host.to(device_, host.scalar_type(), /*non_blocking=*/true);
}

void BatchPrefetch::start(const Batch& host) {
  const c10::StreamGuard on_side(side_);
  for (const at::Tensor& input : host.inputs) next_.inputs.push_back(copied(input));
  next_.targets = copied(host.targets);
  copied_.record(side_);
}

Tensors BatchPrefetch::waiting() const {
  Tensors tensors = next_.inputs;
  if (next_.targets.defined()) tensors.push_back(next_.targets);
  return tensors;
}

Batch BatchPrefetch::take(const Batch& host) {
  if (!next_.targets.defined()) start(host);
  const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  copied_.block(current);
  Batch batch = std::exchange(next_, {});
  if (records_stream_) {
    for (const at::Tensor& input : batch.inputs) input.record_stream(current);
    batch.targets.record_stream(current);
  }
  return batch;
}

}  // namespace highwater
