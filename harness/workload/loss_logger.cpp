#include "harness/workload/loss_logger.hpp"

namespace highwater {

bool LossLogger::wants_validation() const {
  return what_ == LossLog::detached_total || what_ == LossLog::attached_total;
}

void LossLogger::add_training(const at::Tensor& loss, Tensors outputs) {
  if (retains_graphs()) kept_.push_back(loss);
  if (!wants_outputs()) return;
  for (at::Tensor& output : outputs) kept_.push_back(std::move(output));
}

void LossLogger::add_validation(const at::Tensor& loss) {
  const at::Tensor added = what_ == LossLog::detached_total ? loss.detach() : loss;
  total_ = total_.defined() ? total_ + added : added;
}

}  // namespace highwater
