#pragma once

#include <c10/util/Exception.h>

#include "harness/workload/model.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {

/// Whether an error is an allocator's: by its type, but for the CPU's, which throws a plain
/// c10::Error that only its text tells.
bool is_out_of_memory(const c10::Error& error);

/// What a forward changes of a training run beside gradients: running statistics and the state of
/// the random generators. Both are kept on the host, which waits for the device where a model has
/// buffers.
class ForwardState {
 public:
  ForwardState(const Model& model, at::Device device);
  void restore() const;

 private:
  Tensors buffers_;
  Tensors copies_;
  RandomState random_;
};

}  // namespace highwater
