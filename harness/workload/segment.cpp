#include "harness/workload/segment.hpp"

namespace highwater {

Segment link(std::string name, TensorFunction run) {
  return {.name = std::move(name),
          .run = [run = std::move(run)](const Tensors& x) { return Tensors{run(x.at(0))}; }};
}

Segment edge(std::string name, TensorFunction run) {
  Segment segment = link(std::move(name), std::move(run));
  segment.recomputable = false;
  return segment;
}

}  // namespace highwater
