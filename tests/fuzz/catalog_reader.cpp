#include "harness/core/error.hpp"
#include "harness/matrix/catalog.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    read_catalog(input_file("catalog.json", bytes).string());
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"catalog", &takes});

}  // namespace
}  // namespace highwater::fuzz
