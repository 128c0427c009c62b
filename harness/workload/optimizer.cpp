#include "harness/workload/optimizer.hpp"

#include <algorithm>

namespace highwater {

Bytes largest_bytes(const std::vector<at::Tensor>& tensors) {
  Bytes largest = 0;
  for (const at::Tensor& tensor : tensors) {
    largest = std::max(largest, static_cast<Bytes>(tensor.nbytes()));
  }
  return largest;
}

}  // namespace highwater
