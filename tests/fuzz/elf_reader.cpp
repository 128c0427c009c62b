#include "harness/core/error.hpp"
#include "harness/exec/elf_file.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  const auto path = input_file("program", bytes);
  const auto elf = read_elf(path);
  if (!elf) return false;
  try {
    check_takes_libraries(*elf, path);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"elf", &takes});

}  // namespace
}  // namespace highwater::fuzz
