// The closed forms at full size, to the byte, on a simulated GPU; and of every twin on the CPU.

#include <gtest/gtest.h>

#include <ostream>

#include "harness/core/cudnn_folder.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

struct Case {
  std::string model;
  std::string technique;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.model << " " << test.technique; }

/// Every model with every single technique and two compositions; those without a closed form are
/// left out by the test itself, which says so.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& model : ModelRegistry::instance().all()) {
    for (const auto& technique : TechniqueRegistry::instance().all()) {
      all.push_back({model.name, technique.name});
    }
    all.push_back({model.name, "activation_checkpointing+set_to_none"});
    all.push_back({model.name, "activation_checkpointing+autocast_fp16"});
    all.push_back(
        {model.name, "gradient_accumulation+activation_checkpointing+autocast_fp16+set_to_none"});
    all.push_back({model.name, "gradient_accumulation+activation_checkpointing"});
  }
  return all;
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.model + "__" + info.param.technique;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '+'; }, '_');
  return name;
}

void expect_predicted(const Case& test, const std::string& preset, const std::string& device) {
  const Cell cell{
      .model = test.model, .preset = preset, .technique = test.technique, .device = device};
  const DeviceSession session(device);
  const StepPlan plan = make_plan(parse_techniques(test.technique));
  const Measurement prediction = predict(*make_workload(cell, session.device(), plan).model, plan);
  const auto measured = measure_memory(session, cell, plan, Protocol{}).metrics;
  for (const auto& [metric, bytes] : prediction) EXPECT_EQ(measured.at(metric), bytes) << metric;
  if (!prediction.contains("activations_after_forward_bytes")) {
    GTEST_SKIP() << "no closed form is known for activations under " << test.technique
                 << "; the other predictions hold";
  }
}

class ClosedForm : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Registry, ClosedForm, testing::ValuesIn(cases()), test_name);

TEST_P(ClosedForm, OfTheTwinHoldsOnCpu) { expect_predicted(GetParam(), "twin", "cpu"); }

TEST_P(ClosedForm, SimHoldsAtFullSize) {
  if (!ModelRegistry::instance().find(GetParam().model).needs.empty() && cudnn_folder().empty()) {
    GTEST_SKIP() << "this model needs cuDNN, which is not installed: scripts/install_cudnn.sh";
  }
  expect_predicted(GetParam(), "full", "sim:h200");
}

Bytes predicted_activations(const std::string& model, const ModelOptions& options) {
  return make_model(model, options)->predict_activations(StepPlan{}).value();
}

// 85,311,392 bytes an image and 212,480 of batch-norm statistics (with logits, without the two
// scalars of the loss and the loss's copy of the logits' size, which is already one of them).
TEST(ClosedFormOf, ResNet50IsThePublishedNumberOfBytesPerImage) {
  const Bytes one = predicted_activations("resnet50", {.preset = "full", .batch = 1});
  const Bytes two = predicted_activations("resnet50", {.preset = "full", .batch = 2});
  EXPECT_EQ(two - one, 85'311'392);
  EXPECT_EQ(one - (two - one), 212'480 + 8);
}

// 139,803,080 bytes an image are published for eager attention, which keeps 197 probabilities where
// the fused one keeps a log-sum-exp: per layer, head and token.
TEST(ClosedFormOf, VitB16IsThePublishedNumberOfBytesPerImageButForItsAttention) {
  const Bytes one = predicted_activations("vit-b16", {.preset = "full", .batch = 1});
  const Bytes two = predicted_activations("vit-b16", {.preset = "full", .batch = 2});
  EXPECT_EQ(two - one, 139'803'080 - 12LL * 12 * 197 * (197 - 1) * 4);
}

// 16 h elements and a log-sum-exp per head and token: 12 x 8192 x (64 x 768 + 48 + 16) bytes of
// blocks, final norm, and 8192 x 50257 log-probabilities.
TEST(ClosedFormOf, Gpt2SmallAtBatch8IsTheSumOfItsParts) {
  const Bytes blocks = 12LL * 8192 * (64 * 768 + 4 * 12 + 16);
  const Bytes head = 8192LL * (8 * 768 + 8) + 8192LL * 50257 * 4 + 8;
  EXPECT_EQ(predicted_activations("gpt2-small", {.preset = "full"}), blocks + head);
}

// 36 h a token and layer, as derived in the literature, and copies of all weights but the
// embeddings'.
TEST(ClosedFormOf, Gpt2SmallUnderAutocastKeepsThirtySixHAndHalfWeights) {
  const StepPlan plan = make_plan(parse_techniques("autocast_fp16"));
  const Bytes blocks = 12LL * 8192 * (36 * 768 + 4 * 12 + 16) + 12LL * 12 * 768 * 768 * 2;
  const Bytes head = 8192LL * (6 * 768 + 8) + 50257LL * 768 * 2 + 8192LL * 50257 * 4 + 8;
  EXPECT_EQ(make_model("gpt2-small", {.preset = "full"})->predict_activations(plan), blocks + head);
}

// 66 h + 9 a s + 16 bytes a token and layer (Korthikanti et al. 2022 in fp32, with bool masks).
TEST(ClosedFormOf, BertLargeIs66hPlus9asPlus16PerTokenAndLayer) {
  const Bytes all = predicted_activations("bert-large", {.preset = "full"});
  const Bytes layers = 24LL * 2048 * (66 * 1024 + 9 * 16 * 512 + 16);
  const Bytes embedding = 2048LL * (4 * 1024 + 8) + 2048LL * 1024 * 5;
  const Bytes head = 4LL * 1024 * 9 + 4 * 2 * 4 + 8;
  EXPECT_EQ(all, layers + embedding + head);
}

}  // namespace
}  // namespace highwater
