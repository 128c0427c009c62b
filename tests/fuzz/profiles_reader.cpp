#include "harness/core/error.hpp"
#include "harness/record/profile_file.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const Profiles profiles = read_profiles(input_file("default.profiles.jsonl", bytes));
    const auto again = read_profiles(input_file("again.profiles.jsonl", profiles_text(profiles)));
    require(again == profiles, "what was taken and written is taken again");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"profiles", &takes});

}  // namespace
}  // namespace highwater::fuzz
