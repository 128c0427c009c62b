#include "harness/workload/token_loss.hpp"

#include "harness/workload/checkpoint.hpp"
#include "harness/workload/closed_forms.hpp"

namespace highwater {

at::Tensor TokenLoss::loss(const at::Tensor& outputs, const at::Tensor& targets) const {
  if (chunks_ == 1) return at::cross_entropy_loss(outputs, targets);
  const std::vector<at::Tensor> rows = outputs.chunk(chunks_);
  const std::vector<at::Tensor> wanted = targets.chunk(chunks_);
  at::Tensor total;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A weighted mean: the sum over all rows of a large batch is more than fp16 holds.
    const double share =
        static_cast<double>(rows[i].size(0)) / static_cast<double>(outputs.size(0));
    const Checkpoint checkpoint;
    const at::Tensor part = run_part(&checkpoint, "loss." + std::to_string(i), {rows[i], wanted[i]},
                                     [logits = logits_, share](const Tensors& t) {
                                       return at::cross_entropy_loss(logits(t[0]), t[1]) * share;
                                     });
    total = total.defined() ? total + part : part;
  }
  return total;
}

namespace closed_forms {

Bytes token_loss(Bytes rows, Bytes width, Bytes classes, const StepPlan& plan, at::Device device) {
  const Bytes chunks = plan.variant.loss_chunks;
  if (chunks == 1) {
    return rows * width * element(plan) + classes * width * weight_copy(plan) +
           cross_entropy(rows, classes, plan, device);
  }
  const Bytes of_a_chunk = (rows + chunks - 1) / chunks;
  const Bytes made = (rows + of_a_chunk - 1) / of_a_chunk;
  return rows * width * resident(plan) + made * checkpoint_random_state(device) + resident(plan);
}

}  // namespace closed_forms
}  // namespace highwater
