#include "harness/workload/registry.hpp"
#include "harness/workload/storage_packing.hpp"

namespace highwater {
namespace {

/// The copy back waits for nobody: both run on the stream of the computation.
Unpack to_host(const at::Tensor& whole) {
  const auto on_host = whole.options().device(at::kCPU).pinned_memory(!whole.is_cpu());
  const at::Tensor host = at::empty(whole.sizes(), on_host);
  host.copy_(whole, /*non_blocking=*/true);
  return [host, device = whole.device()] {
    return host.to(device, host.scalar_type(), /*non_blocking=*/true, /*copy=*/true);
  };
}

class HostOffload final : public SavedTensorPacking {
 public:
  std::string name() const override { return "host"; }
  bool empties_the_device() const override { return true; }
  SavedTensorHooksFactory hooks_of_a_forward(const Tensors& resident) const override {
    return pack_each_storage_once(&to_host, resident);
  }
};

/// The loss, and the smallest block.
constexpr std::int64_t kLossBlock = 512;

const RegisterTechnique registered({
    .name = "activation_offload",
    .summary = "move what forward saves to pinned host memory, and back when backward needs it",
    .relieves = "saved_activations",
    .when = "activations are most of the peak, the host has room for them, and the link is fast "
            "enough to hide behind the computation; with activation_checkpointing only the inputs "
            "of segments travel",
    .cost = "every saved byte crosses the link twice a step and lies in pinned host memory",
    // An LSTM saves thousands of small views of its gates: packed one by one, they move blocks
    // about from step to step, and no two steps have the same peak.
    .needs = {"large_activations"},
    .moves_bytes_elsewhere = true,
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, torch.autograd.graph.save_on_cpu; torchtune README, "
              "activation offloading: 23.1 to 21.8 GiB after checkpointing",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.packing = std::make_shared<HostOffload>(); },
    // Everything but the loss is elsewhere when forward ends.
    .promise = [](const StepPlan&, const Measurement& baseline) -> std::optional<Promise> {
      const std::string metric = "activations_after_forward_bytes";
      const auto needed = baseline.find(metric);
      if (needed == baseline.end()) return std::nullopt;
      return Promise{.metric = metric, .minimum_saving_bytes = needed->second - kLossBlock};
    },
});

}  // namespace
}  // namespace highwater
