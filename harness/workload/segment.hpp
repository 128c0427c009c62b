#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/workload/batch.hpp"

namespace highwater {

/// A stretch of a model between two points where few tensors are alive. Running all segments in
/// order, each on what the one before returned, is the model's forward.
struct Segment {
  std::string name;  ///< module path, e.g. "block.3"
  std::function<Tensors(const Tensors&)> run;
  /// Whether its inside is large beside its inputs, so that dropping and recomputing it pays. False
  /// for embeddings and heads.
  bool recomputable = true;
};

/// Segments from one tensor to one tensor: a link of the chain, and an edge of it, which is never
/// recomputed (an embedding, a stem, a head).
using TensorFunction = std::function<at::Tensor(const at::Tensor&)>;
Segment link(std::string name, TensorFunction run);
Segment edge(std::string name, TensorFunction run);

/// Appends a link "<name>.<i>" for each module, in order, which holds it and calls its forward.
template <class Module>
void link_each(std::vector<Segment>& segments, const std::string& name,
               const std::vector<std::shared_ptr<Module>>& modules) {
  for (std::size_t i = 0; i < modules.size(); ++i) {
    segments.push_back(
        link(name + "." + std::to_string(i),
             [module = modules[i]](const at::Tensor& x) { return module->forward(x); }));
  }
}

/// How a segment is run: plainly, or with something done to what it saves for backward.
class SegmentWrap {
 public:
  virtual ~SegmentWrap() = default;
  virtual std::string name() const = 0;
  /// Whether of a wrapped segment nothing but its inputs is kept for backward (and, on cpu, the
  /// state of the random generators): what closed forms can be built on.
  virtual bool keeps_only_inputs() const { return false; }
  virtual Tensors run(const Segment& segment, const Tensors& inputs) const = 0;
};

/// The wrap's name, "none" for null.
std::string name_of(const SegmentWrap* wrap);

/// Runs a part of a segment, such as the core of its attention, wrapped unless `wrap` is null.
using TensorsFunction = std::function<at::Tensor(const Tensors&)>;
at::Tensor run_part(const SegmentWrap* wrap, const std::string& name, const Tensors& inputs,
                    const TensorsFunction& part);

/// Every run of up to `length` recomputable segments in a row made one; the others stay as they
/// are. Two neighbours "block.0" and "block.1" become "block.0..block.1".
std::vector<Segment> merge_recomputable(std::vector<Segment> segments, std::int64_t length);

}  // namespace highwater
