#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "empty_cache",
    .summary = "give unused cached blocks back to the device after every step",
    .relieves = "reserved",
    .when =
        "another process needs the memory, or fragmentation stands in the way; never to lower this "
        "process's own peak: allocated bytes do not change",
    .cost = "the next step asks the driver for every block again",
    .not_on_cpu = "the CPU has no caching allocator",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, torch.cuda.empty_cache",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.empties_cache = true; },
});

}  // namespace
}  // namespace highwater
