// The closed forms at full size, to the byte, on a simulated GPU; and of every twin on the CPU.

#include <gtest/gtest.h>

#include "harness/core/cudnn_folder.hpp"
#include "harness/core/error.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "tests/support/model_parameters.hpp"

namespace highwater {
namespace {

bool holds(const ModelDeclaration& model, const std::string& composition) {
  return std::ranges::all_of(parse_techniques(composition), [&](const auto& technique) {
    return std::ranges::all_of(technique.needs, [&](const std::string& need) {
      return std::ranges::find(model.abilities, need) != model.abilities.end();
    });
  });
}

/// The simulated GPU ends the process where cuDNN would normalise channels-last images.
bool is_refused(const ModelDeclaration& model, const TechniqueDeclaration& technique) {
  return model.has_batch_statistics && make_plan({technique}).variant.channels_last;
}

/// Every single technique that the model can take hold of, and some compositions.
std::vector<std::string> techniques_for(const ModelDeclaration& model, bool on_cpu) {
  std::vector<std::string> all = {
      "activation_checkpointing+set_to_none",
      "activation_checkpointing+autocast_fp16",
      "gradient_accumulation+activation_checkpointing",
      "gradient_accumulation+activation_checkpointing+autocast_fp16+set_to_none",
      "chunked_cross_entropy+autocast_bf16+gradient_accumulation",
      "checkpoint_attention+recompute_gelu+autocast_bf16",
      "checkpoint_attention+recompute_gelu+activation_checkpointing",
      "checkpoint_attention+recompute_swiglu+autocast_bf16",
      "checkpoint_attention+recompute_swiglu+checkpoint_sqrt",
      "channels_last+autocast_bf16"};
  for (const TechniqueDeclaration& technique : TechniqueRegistry::instance().all()) {
    const bool runs = on_cpu ? technique.not_on_cpu.empty() : !is_refused(model, technique);
    if (runs) all.push_back(technique.name);
  }
  std::erase_if(all, [&](const std::string& name) { return !holds(model, name); });
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
  // What a log of losses keeps between steps, or a leak, has no name but its technique's.
  const bool is_named = plan.loss_log == LossLog::none && !plan.variant.attached_state;
  if (is_named) {
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
    try {
      with_form += expect_predicted(
          {.model = name, .preset = preset, .technique = technique, .device = device});
    } catch (const InapplicableError&) {  // a row that suites skip
    }
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

/// What a model keeps of each image, and whatever the batch (with the 8 bytes of a cross entropy,
/// its value and its weight).
struct PerImage {
  Bytes image;
  Bytes constant;
  bool operator==(const PerImage&) const = default;
};

void PrintTo(const PerImage& kept, std::ostream* out) {
  *out << kept.image << " an image and " << kept.constant;
}

PerImage predicted_per_image(const std::string& model) {
  const Bytes one = predicted_activations(model, {.preset = "full", .batch = 1});
  const Bytes two = predicted_activations(model, {.preset = "full", .batch = 2});
  return {.image = two - one, .constant = one - (two - one)};
}

// Batch norm keeps 8 bytes a channel: of ResNet-18 38,400, of ResNet-50 212,480, of U-Net 47,104.
TEST(ClosedFormOf, ResNet18IsThePublishedNumberOfBytesPerImage) {
  EXPECT_EQ(predicted_per_image("resnet18"), (PerImage{21'581'728, 38'400 + 8}));
}

TEST(ClosedFormOf, ResNet50IsThePublishedNumberOfBytesPerImage) {
  EXPECT_EQ(predicted_per_image("resnet50"), (PerImage{85'311'392, 212'480 + 8}));
}

// Published with the CPU's dropout, which keeps float noise where a mask of bools is kept here: of
// two layers of 4096.
TEST(ClosedFormOf, Vgg16IsThePublishedNumberOfBytesPerImageButForItsMasks) {
  EXPECT_EQ(predicted_per_image("vgg16"), (PerImage{72'757'152 - 2LL * 4096 * (4 - 1), 8}));
}

// Its loss keeps nothing but the logits and its value.
TEST(ClosedFormOf, UNetIsThePublishedNumberOfBytesPerImage) {
  EXPECT_EQ(predicted_per_image("unet"), (PerImage{342'622'208, 47'104 + 4}));
}

// 12 c + 2 elements a pixel and block of c channels; c and c + 2 more of each norm between stages,
// and of what reads it.
TEST(ClosedFormOf, ConvNeXtTinyIsTheSumOfItsParts) {
  const Bytes blocks = 3136LL * 3 * (12 * 96 + 2) + 784LL * 3 * (12 * 192 + 2) +
                       196LL * 9 * (12 * 384 + 2) + 49LL * 3 * (12 * 768 + 2);
  const Bytes between =
      3136LL * (96 + 2) + 3136LL * (2 * 96 + 2) + 784LL * (2 * 192 + 2) + 196LL * (2 * 384 + 2);
  const Bytes head = 2 * 768 + 2 + 1000;
  EXPECT_EQ(predicted_per_image("convnext-tiny"), (PerImage{(blocks + between + head) * 4, 8}));
}

// 139,803,080 bytes an image are published for eager attention, which keeps 197 probabilities where
// the fused one keeps a log-sum-exp: per layer, head and token.
TEST(ClosedFormOf, VitB16IsThePublishedNumberOfBytesPerImageButForItsAttention) {
  EXPECT_EQ(predicted_per_image("vit-b16").image, 139'803'080 - 12LL * 12 * 197 * (197 - 1) * 4);
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
