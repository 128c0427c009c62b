#pragma once

#include <memory>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/workload/segment_chain.hpp"

namespace highwater {

/// Trains one model with replicas of it on further devices, in one process, as
/// torch.nn.DataParallel does: every forward copies the parameters to the replicas, splits the
/// batch, runs each part on its device and gathers the outputs on the first; backward leaves each
/// replica's gradients on its device, from where they are summed into the model's own. Running
/// statistics move by the first part only.
///
/// One thread gives all devices their work (they run side by side all the same), so autocast and
/// gradient mode hold for every replica. `parallel_apply` starts threads, which lose both.
class DataParallel {
 public:
  /// `replicas` are built like `model`, one on each further device; their own values are dropped.
  /// @throws InapplicableError for a model whose steps hand on state: each replica would hand on
  /// that of its own part.
  DataParallel(std::shared_ptr<Model> model, std::vector<std::shared_ptr<Model>> replicas,
               const StepPlan& plan);

  /// Makes the replicas' parameters and buffers anew from the model's.
  void replicate();
  /// Outputs of the whole batch on the first device, each joined along dimension 0.
  Tensors forward(const Batch& batch) const;
  /// After backward: adds the replicas' gradients to the model's, and drops the replicas.
  void reduce_gradients();
  /// Frees what the replicas hold.
  void release();

  /// Parameters of the replicas as they are now.
  Tensors replicated() const;
  /// Bytes that every forward copies to further devices.
  Bytes replica_bytes() const;

 private:
  std::vector<std::shared_ptr<Model>> models_;  ///< the model itself, then its replicas
  std::vector<SegmentChain> chains_;
  std::vector<at::Device> devices_;
};

}  // namespace highwater
