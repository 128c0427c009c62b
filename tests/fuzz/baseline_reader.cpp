#include "harness/core/error.hpp"
#include "harness/record/baseline_file.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const BaselineFile file = read_baseline(input_file("bed/default.jsonl", bytes));
    const auto again = read_baseline(input_file("bed/default.jsonl", baseline_text(file)));
    require(again.rows == file.rows, "what was taken and written is taken again");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"baseline", &takes});

}  // namespace
}  // namespace highwater::fuzz
