#pragma once

#include <optional>

#include <c10/util/Exception.h>

#include "harness/workload/model.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {

/// Whether memory ran out: by the error's type, which only the caching allocator gives it, or by
/// its text, where the CPU's allocator, the driver, cuBLAS or cuDNN said so.
bool is_out_of_memory(const c10::Error& error);

/// What a forward changes of a training run beside gradients: running statistics, recurrent state
/// and the state of the random generators. Buffers are copied to the host, which waits for the
/// device where a model has any.
class ForwardState {
 public:
  ForwardState(Model& model, at::Device device);
  void restore() const;

 private:
  Tensors buffers_;
  Tensors copies_;
  std::function<void()> restore_model_;
  RandomState random_;
};

/// The state that steps of the model hand on; absent where they hand on none.
std::optional<ForwardState> handed_on_state(Model& model, at::Device device);

}  // namespace highwater
