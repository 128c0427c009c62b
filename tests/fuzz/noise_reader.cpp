#include "harness/core/error.hpp"
#include "harness/record/repeats.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const Repeats repeats = read_repeats(input_file("noise.jsonl", bytes));
    const auto again = read_repeats(input_file("again.jsonl", repeats_text(repeats)));
    require(again == repeats, "what was taken and written is taken again");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"noise", &takes});

}  // namespace
}  // namespace highwater::fuzz
