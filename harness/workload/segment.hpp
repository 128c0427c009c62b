#pragma once

#include <functional>
#include <string>

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

/// How a segment is run: plainly, or with something done to what it saves for backward.
class SegmentWrap {
 public:
  virtual ~SegmentWrap() = default;
  virtual std::string name() const = 0;
  virtual Tensors run(const Segment& segment, const Tensors& inputs) const = 0;
};

}  // namespace highwater
