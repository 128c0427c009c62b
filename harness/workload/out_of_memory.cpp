#include "harness/workload/out_of_memory.hpp"

#include <string_view>

namespace highwater {

bool is_out_of_memory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::string_view(error.what()).find("DefaultCPUAllocator: can't allocate memory") !=
             std::string_view::npos;
}

ForwardState::ForwardState(const Model& model, at::Device device)
    : buffers_(model.buffers()), random_(RandomState::current(device)) {
  for (const at::Tensor& buffer : buffers_) {
    copies_.push_back(buffer.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true));
  }
}

void ForwardState::restore() const {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(copies_[i]);
  random_.restore();
}

}  // namespace highwater
