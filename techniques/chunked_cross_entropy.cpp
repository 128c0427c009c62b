#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

constexpr std::int64_t kChunks = 8;

const RegisterTechnique registered({
    .name = "chunked_cross_entropy",
    .summary = "logits and their cross entropy in 8 chunks, each recomputed in backward",
    .relieves = "saved_activations",
    .when = "the vocabulary is large: logits, log-softmax and their gradient are vocabulary wide, "
            "the rest of the network a few widths",
    .cost = "the output layer's product once more; smaller matrices",
    .needs = {"token_loss"},
    .numerics = NumericsClass::tolerance,
    // Eight partial means and eight partial weight gradients are summed in another order.
    .tolerance = 1e-5,
    .source = "torchtune README: 51.0 to 42.9 GiB for Llama-3.2-3B",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.loss_chunks = kChunks; },
    // Rows x vocabulary log-probabilities; the least share is GPT-2 XL's, which is 48 layers deep.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 32);
        },
});

}  // namespace
}  // namespace highwater
