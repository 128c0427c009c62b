#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "shallower",
    .summary =
        "a smaller model: half the repeated layers, blocks or levels, of each kind at least one",
    .relieves = "saved_activations",
    .when =
        "the model may be another one and its blocks are alike: what they keep for backward, and "
        "their weights, halve with their number",
    .cost = "another model, with less capacity, trained from the start or distilled",
    .numerics = NumericsClass::different_by_design,
    .source =
        "Sanh et al. 2019, DistilBERT: half the layers of BERT, taught by the whole; He et al. "
        "2016, Deep Residual Learning: 18 to 152 layers of one design",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.depth_divisor = 2; },
    // How much lies in what repeats differs too much for one promise: a U-Net's deepest levels are
    // its smallest images, most of a language model may be its vocabulary.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
