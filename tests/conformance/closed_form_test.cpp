// The closed forms at full size, to the byte, on a simulated GPU; and of every twin on the CPU.

#include <gtest/gtest.h>

#include "harness/core/cudnn_folder.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "tests/support/model_parameters.hpp"

namespace highwater {
namespace {

/// Every single technique that the model can take hold of, and four compositions.
std::vector<std::string> techniques_for(const ModelDeclaration& model, bool on_cpu) {
  std::vector<std::string> all = {
      "activation_checkpointing+set_to_none", "activation_checkpointing+autocast_fp16",
      "gradient_accumulation+activation_checkpointing",
      "gradient_accumulation+activation_checkpointing+autocast_fp16+set_to_none"};
  for (const TechniqueDeclaration& technique : TechniqueRegistry::instance().all()) {
    const bool held = std::ranges::all_of(technique.needs, [&](const std::string& need) {
      return std::ranges::find(model.abilities, need) != model.abilities.end();
    });
    if (held && (technique.not_on_cpu.empty() || !on_cpu)) all.push_back(technique.name);
  }
  return all;
}

/// Whether a closed form of the activations was there to compare.
bool expect_predicted(const Cell& cell) {
  SCOPED_TRACE(cell_id(cell));
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device);
  const Measurement prediction = predict(*make_workload(cell, session.device(), plan).model, plan);
  const auto measured = measure_memory(session, cell, plan, Protocol{}).metrics;
  for (const auto& [metric, bytes] : prediction) EXPECT_EQ(measured.at(metric), bytes) << metric;
  // What a log of losses keeps between steps has no name but its technique's.
  if (plan.loss_log == LossLog::none) {
    EXPECT_EQ(measured.at("at_peak_unattributed_bytes"), 0);
  }
  session.release_caches();
  return prediction.contains("activations_after_forward_bytes");
}

/// One test a model and device: a process for each of its cells would take an hour.
void expect_all_predicted(const std::string& name, const std::string& preset,
                          const std::string& device) {
  const ModelDeclaration& model = ModelRegistry::instance().find(name);
  int with_form = 0;
  for (const std::string& technique : techniques_for(model, device == "cpu")) {
    with_form += expect_predicted(
        {.model = name, .preset = preset, .technique = technique, .device = device});
  }
  EXPECT_GT(with_form, 0) << "no closed form of the activations of " << name << " was compared";
}

class ClosedForm : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, ClosedForm, testing::ValuesIn(model_names()), model_test_name);

TEST_P(ClosedForm, OfTheTwinHoldsOnCpu) { expect_all_predicted(GetParam(), "twin", "cpu"); }

TEST_P(ClosedForm, SimHoldsAtFullSize) {
  if (!ModelRegistry::instance().find(GetParam()).needs.empty() && cudnn_folder().empty()) {
    GTEST_SKIP() << "this model needs cuDNN, which is not installed: scripts/install_cudnn.sh";
  }
  expect_all_predicted(GetParam(), "full", "sim:h200");
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
