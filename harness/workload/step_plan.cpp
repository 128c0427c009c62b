#include "harness/workload/step_plan.hpp"

namespace highwater {
namespace {

std::string text_of(const std::optional<Autocast>& autocast) {
  if (!autocast) return "off";
  return c10::toString(autocast->dtype);
}

std::string text_of(const std::optional<OutOfMemoryRetry>& retry) {
  return retry ? "down to " + std::to_string(retry->smallest_micro_batch) : "off";
}

std::string text_of(const std::optional<GradientClip>& clip) {
  if (!clip) return "off";
  return (clip->kind == GradientClip::Kind::norm ? "norm " : "value ") +
         std::to_string(clip->limit);
}

template <class Enum>
std::string text_of(Enum value, std::initializer_list<const char*> names) {
  return std::data(names)[static_cast<std::size_t>(value)];
}

}  // namespace

std::map<std::string, std::string> describe(const StepPlan& plan) {
  std::map<std::string, std::string> text = {
      {"mode", text_of(plan.mode, {"train", "no_grad", "inference_mode", "forward_with_graph"})},
      {"micro_batches", std::to_string(plan.micro_batches)},
      {"oom_retry", text_of(plan.oom_retry)},
      {"devices", std::to_string(plan.devices)},
      {"batch_transfer",
       text_of(plan.batch_transfer, {"resident", "side_stream", "side_stream_without_record"})},
      {"autocast", text_of(plan.autocast)},
      {"gradient_scaler", plan.gradient_scaler ? "yes" : "no"},
      {"dtype", c10::toString(plan.dtype)},
      {"attention", text_of(plan.attention, {"efficient", "math", "flash", "cudnn"})},
      {"segment_grouping", text_of(plan.segment_grouping, {"each", "square_root"})},
      {"segment_wrap", name_of(plan.segment_wrap.get())},
      {"packing", plan.packing ? plan.packing->name() : "none"},
      {"gradient_reset", text_of(plan.gradient_reset, {"zero_fill", "set_to_none"})},
      {"gradient_bucketing", text_of(plan.gradient_bucketing, {"none", "copies", "views"})},
      {"gradient_clip", text_of(plan.gradient_clip)},
      {"update", text_of(plan.update, {"after_backward", "in_backward"})},
      {"optimizer", plan.optimizer.name},
      {"loss_log", text_of(plan.loss_log, {"none", "detached_total", "attached_total",
                                           "retained_graphs", "stored_outputs"})},
      {"empties_cache", plan.empties_cache ? "yes" : "no"},
      {"allocator_settings", plan.allocator_settings},
  };
  for (const auto& [field, value] : describe(plan.variant)) text["model." + field] = value;
  return text;
}

std::vector<std::string> differing_fields(const StepPlan& a, const StepPlan& b) {
  const auto of_a = describe(a);
  const auto of_b = describe(b);
  std::vector<std::string> names;
  for (const auto& [name, text] : of_a) {
    if (of_b.at(name) != text) names.push_back(name);
  }
  return names;
}

}  // namespace highwater
