// A model and a technique with faults that a test can switch on: HIGHWATER_PLANT names one. They
// wrap real ones, so a gate that finds the fault finds it under real sizes. Only this plug-in
// has them.

#include <cstdlib>
#include <string_view>

#include <torch/csrc/autograd/custom_function.h>

#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

/// HIGHWATER_PLANT is the name of a fault, or "name:bytes".
Bytes planted(std::string_view fault) {
  const char* text = std::getenv("HIGHWATER_PLANT");
  const std::string_view plant = text == nullptr ? "" : text;
  if (plant.substr(0, plant.find(':')) != fault) return 0;
  const std::size_t colon = plant.find(':');
  return colon == std::string_view::npos ? 1 : std::stoll(std::string(plant.substr(colon + 1)));
}

at::Tensor bytes_on(at::Device device, Bytes bytes) {
  return at::empty({bytes}, at::device(device).dtype(at::kByte));
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps a block from forward for backward.
struct Keep : torch::autograd::Function<Keep> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, Bytes bytes) {
    context->save_for_backward({bytes_on(x.device(), bytes)});
    return x.view_as(x);
  }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    return {gradients.at(0), at::Tensor()};
  }
};

/// Sets a tensor when backward passes by: to a new block, or to nothing.
struct SetInBackward : torch::autograd::Function<SetInBackward> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::Tensor* target,
                            Bytes bytes) {
    context->saved_data["target"] = reinterpret_cast<std::int64_t>(target);
    context->saved_data["bytes"] = bytes;
    return x.view_as(x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto* target = reinterpret_cast<at::Tensor*>(context->saved_data["target"].toInt());
    const Bytes bytes = context->saved_data["bytes"].toInt();
    *target = bytes > 0 ? bytes_on(gradients.at(0).device(), bytes) : at::Tensor();
    return {gradients.at(0), at::Tensor(), at::Tensor()};
  }
};

class Planted final : public Model {
 public:
  Planted(std::shared_ptr<Model> model, at::Device device)
      : model_(std::move(model)), device_(device) {
    register_module("inner", model_);
    if (planted("extra_tensor")) lasting_ = bytes_on(device, 4 << 20);
    if (const Bytes bytes = planted("unnamed")) lasting_ = bytes_on(device, bytes);
    if (const Bytes bytes = planted("buffer")) register_buffer("extra", bytes_on(device, bytes));
    if (const Bytes bytes = planted("parameter")) {
      trained_ = register_parameter("extra", at::zeros({bytes / 4}, at::device(device)));
    }
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = model_->segments();
    Segment& first = segments.front();
    first.run = [this, run = std::move(first.run)](const Tensors& inputs) {
      if (const Bytes bytes = planted("forward_temporary")) passing_ = bytes_on(device_, bytes);
      Tensors outputs = run(inputs);
      // Backward comes here last: what is kept here is alive at any peak of it.
      if (const Bytes bytes = planted("saved_activation")) {
        outputs.at(0) = Keep::apply(outputs.at(0), bytes);
      }
      if (planted("backward_temporary")) {
        outputs.at(0) = SetInBackward::apply(outputs.at(0), &passing_, 0);
      }
      return outputs;
    };
    return segments;
  }

  Batch example_batch() override {
    Batch batch = model_->example_batch();
    const Bytes bytes = planted("input");
    if (bytes == 0) return batch;
    const at::Tensor more =
        at::zeros({bytes / batch.targets.element_size()}, batch.targets.options());
    const at::Tensor all = at::cat({batch.targets.flatten(), more});
    batch.targets = all.narrow(0, 0, batch.targets.numel()).view(batch.targets.sizes());
    return batch;
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    at::Tensor loss = model_->loss(outputs, batch);
    passing_.reset();
    if (trained_.defined()) loss = loss + trained_.sum();
    if (const Bytes bytes = planted("backward_temporary")) {
      loss = SetInBackward::apply(loss, &passing_, bytes);
    }
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
  at::Device device_;
  at::Tensor lasting_;  ///< nobody's
  at::Tensor trained_;
  at::Tensor passing_;  ///< of one phase
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

ModelDeclaration declare(const std::string& inner, std::int64_t full, std::int64_t twin,
                         std::vector<std::string> needs = {}) {
  const std::int64_t more = planted("parameter") / 4;
  return {.name = "planted-" + inner,
          .summary = inner + " with a fault to switch on",
          .tags = {"planted"},
          .needs = std::move(needs),
          .parameters = {{"full", full + more}, {"twin", twin + more}},
          .make = [inner](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<Planted>(make_model(inner, options), options.device);
          }};
}

const RegisterModel mlp(declare("mlp", 2'106'378, 8'778));
const RegisterModel gpt2(declare("gpt2-small", 124'439'808, 114'880));
const RegisterModel resnet(declare("resnet18", 11'689'512, 80'146, {"convolution"}));

/// An update that takes more for a moment than any other phase.
class Wasteful final : public Optimizer {
 public:
  explicit Wasteful(std::vector<at::Tensor> parameters)
      : parameters_(parameters), adamw_(adamw().make(std::move(parameters))) {}
  void step() override {
    const at::Device device = parameters_.at(0).device();
    Tensors scratch = {bytes_on(device, Bytes{32} << 30)};
    const Bytes bytes = planted("optimizer_temporary");
    if (bytes > 0) scratch.push_back(bytes_on(device, bytes));
    adamw_->step();
  }
  std::vector<at::Tensor> state_tensors() const override { return adamw_->state_tensors(); }

 private:
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> adamw_;
};

const RegisterTechnique optimizer({
    .name = "planted_optimizer",
    .summary = "an update whose temporaries are the peak",
    .relieves = "optimizer",
    .source = "a test",
    .tags = {"planted"},
    .edit =
        [](StepPlan& plan) {
          plan.optimizer = adamw();
          plan.optimizer.name = "wasteful";
          plan.optimizer.temporary_bytes = nullptr;
          plan.optimizer.make = [](std::vector<at::Tensor> parameters) {
            return std::make_unique<Wasteful>(std::move(parameters));
          };
        },
});

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
