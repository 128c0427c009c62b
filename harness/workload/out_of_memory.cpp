#include "harness/workload/out_of_memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/workload/handed_on_state.hpp"

namespace highwater {

bool is_out_of_memory(const c10::Error& error) {
  constexpr std::array<std::string_view, 4> kTexts = {
      "DefaultCPUAllocator: can't allocate memory", "CUDA error: out of memory",
      "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"};
  const std::string_view what = error.what();
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::ranges::any_of(kTexts, [what](std::string_view text) {
           return what.find(text) != std::string_view::npos;
         });
}

ForwardState::ForwardState(Model& model, at::Device device)
    : buffers_(model.buffers()), random_(RandomState::current(device)) {
  if (auto* recurrent = dynamic_cast<HandsOnState*>(&model)) {
    restore_model_ = recurrent->remember_state();
  }
  for (const at::Tensor& buffer : buffers_) {
    copies_.push_back(buffer.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
}

void ForwardState::restore() const {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    // Not copy_: buffers of a recurrence change their size with the part of the batch.
    buffers_[i].set_data(copies_[i].to(buffers_[i].device(), copies_[i].scalar_type(),
                                       /*non_blocking=*/false, /*copy=*/true));
  }
  if (restore_model_) restore_model_();
  random_.restore();
}

std::optional<ForwardState> handed_on_state(Model& model, at::Device device) {
  if (dynamic_cast<HandsOnState*>(&model) == nullptr) return std::nullopt;
  return ForwardState(model, device);
}

}  // namespace highwater
