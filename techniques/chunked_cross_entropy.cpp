#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "chunked_cross_entropy",
    .summary = "logits and their cross entropy in chunks (8, or as many as asked for), each "
               "recomputed in backward",
    .relieves = "saved_activations",
    .when = "the vocabulary is large: logits, log-softmax and their gradient are vocabulary wide, "
            "the rest of the network a few widths",
    .cost = "the output layer's product once more; smaller matrices",
    .needs = {"token_loss"},
    .numerics = NumericsClass::tolerance,
    // Partial means and partial weight gradients are summed in another order.
    .tolerance = 1e-5,
    .source = "torchtune README: 51.0 to 42.9 GiB for Llama-3.2-3B",
    .tags = {"full"},
    .parameter = TechniqueParameter{.name = "chunks",
                                    .meaning = "parts that the logits are computed in",
                                    .value = 8,
                                    .smallest = 2,
                                    .edit =
                                        [](StepPlan& plan, std::int64_t chunks) {
                                          plan.variant.loss_chunks = chunks;
                                        }},
    // All but one chunk of rows x vocabulary log-probabilities; of half of them the least share is
    // GPT-2 XL's, which is 48 layers deep.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 32);
        },
});

}  // namespace
}  // namespace highwater
