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

std::string name_of(const SegmentWrap* wrap) { return wrap == nullptr ? "none" : wrap->name(); }

at::Tensor run_part(const SegmentWrap* wrap, const std::string& name, const Tensors& inputs,
                    const TensorsFunction& part) {
  if (wrap == nullptr) return part(inputs);
  const Segment segment = {.name = name,
                           .run = [part](const Tensors& x) { return Tensors{part(x)}; }};
  return wrap->run(segment, inputs).at(0);
}

namespace {

Segment joined(Segment first, Segment second) {
  return {.name = first.name.substr(0, first.name.find("..")) + ".." + second.name,
          .run = [first = std::move(first.run), second = std::move(second.run)](const Tensors& x) {
            return second(first(x));
          }};
}

}  // namespace

std::vector<Segment> merge_recomputable(std::vector<Segment> segments, std::int64_t length) {
  std::vector<Segment> merged;
  std::int64_t in_last = length;
  for (Segment& segment : segments) {
    const bool joins = segment.recomputable && in_last < length;
    in_last = !segment.recomputable ? length : joins ? in_last + 1 : 1;
    if (joins) {
      merged.back() = joined(std::move(merged.back()), std::move(segment));
    } else {
      merged.push_back(std::move(segment));
    }
  }
  return merged;
}

}  // namespace highwater
