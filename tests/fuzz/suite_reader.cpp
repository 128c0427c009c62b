#include "harness/config/suite_config.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const SuiteConfig suite = parse_suite(bytes, "suite.toml");
    require(is_plain_name(suite.name), "a suite's name can name a file");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"suite", &takes});

}  // namespace
}  // namespace highwater::fuzz
