// A model and a technique with faults that a test can switch on: HIGHWATER_PLANT names one. They
// wrap real ones, so a gate that finds the fault finds it under real sizes. Only the planted core
// has them.

#include <cstdlib>
#include <string_view>

#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

bool planted(std::string_view fault) {
  const char* name = std::getenv("HIGHWATER_PLANT");
  return name != nullptr && fault == name;
}

constexpr std::int64_t kExtraBytes = 4 << 20;

class Planted final : public Model {
 public:
  Planted(std::shared_ptr<Model> model, at::Device device) : model_(std::move(model)) {
    register_module("inner", model_);
    if (planted("extra_tensor")) {
      extra_ = at::empty({kExtraBytes}, at::device(device).dtype(at::kByte));
    }
  }

  std::vector<Segment> segments() override { return model_->segments(); }
  Batch example_batch() override { return model_->example_batch(); }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    const at::Tensor loss = model_->loss(outputs, batch);
    // The mistake of many a training log: a running total of something that nobody calls backward
    // on keeps its graph, and with it this step's outputs.
    if (planted("retained_graph")) {
      const at::Tensor norm = outputs.at(0).square().mean();
      total_ = total_.defined() ? total_ + norm : norm;
    }
    return loss;
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    return model_->predict_activations(plan);
  }

 private:
  std::shared_ptr<Model> model_;
  at::Tensor extra_;
  at::Tensor total_;
};

/// Runs the segment as if nothing had been asked.
class IdleWrap final : public SegmentWrap {
 public:
  std::string name() const override { return "idle"; }
  Tensors run(const Segment& segment, const Tensors& inputs) const override {
    return segment.run(inputs);
  }
};

ModelDeclaration declare(const std::string& inner) {
  return {.name = "planted-" + inner,
          .summary = inner + " with a fault to switch on",
          .tags = {"planted"},
          .parameters = {{"full", inner == "mlp" ? 2'106'378 : 124'439'808},
                         {"twin", inner == "mlp" ? 8'778 : 114'880}},
          .make = [inner](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<Planted>(make_model(inner, options), options.device);
          }};
}

const RegisterModel mlp(declare("mlp"));
const RegisterModel gpt2(declare("gpt2-small"));

const RegisterTechnique checkpointing({
    .name = "planted_checkpointing",
    .summary = "checkpointing that can be made to save nothing",
    .relieves = "saved_activations",
    .source = "a test",
    .tags = {"planted"},
    .edit =
        [](StepPlan& plan) {
          if (planted("idle_checkpoint")) {
            plan.segment_wrap = std::make_shared<IdleWrap>();
          } else {
            plan.segment_wrap = std::make_shared<Checkpoint>();
          }
        },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
