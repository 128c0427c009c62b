#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace highwater {

/// What decides whether libraries can be put in front of a program's own.
struct ElfFile {
  bool is_64_bit = false;
  int machine = 0;          ///< EM_X86_64 = 62, EM_AARCH64 = 183, ... (elf.h)
  std::string interpreter;  ///< the dynamic loader that starts it; empty where it is static
};

/// Nothing where the file is not an ELF file (a script, say) or is cut off.
/// @throws UsageError where it cannot be read.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

/// "x86-64", "ARM (64-bit)", ... for people.
std::string machine_name(const ElfFile& file);

/// @throws UsageError, one sentence, where the stand-in libraries cannot be loaded into it: another
/// processor, 32 bits, static.
void check_takes_libraries(const ElfFile& file, const std::filesystem::path& path);

}  // namespace highwater
