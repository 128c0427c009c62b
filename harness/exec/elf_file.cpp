#include "harness/exec/elf_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

struct MachineName {
  int machine;
  std::string_view name;
};

constexpr std::array kMachines = {
    MachineName{EM_X86_64, "x86-64"}, MachineName{EM_386, "x86"},
    MachineName{EM_AARCH64, "ARM"},   MachineName{EM_ARM, "ARM"},
    MachineName{EM_PPC64, "POWER"},   MachineName{EM_RISCV, "RISC-V"},
};

/// A struct at this place of the file, nothing where the file is too short for it.
template <class Struct>
std::optional<Struct> struct_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::string_view bytes, std::size_t offset, std::size_t length) {
  if (offset > bytes.size() || bytes.size() - offset < length) return {};
  const std::string_view text = bytes.substr(offset, length);
  return std::string(text.substr(0, text.find('\0')));
}

std::string interpreter_of(std::string_view bytes, const Elf64_Ehdr& header) {
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = struct_at<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize);
    if (segment && segment->p_type == PT_INTERP)
      return text_at(bytes, segment->p_offset, segment->p_filesz);
  }
  return {};
}

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  const std::string bytes = read_file_start(path, 64 << 10);
  if (!bytes.starts_with(ELFMAG) || bytes.size() < sizeof(Elf32_Ehdr)) return std::nullopt;
  ElfFile file;
  file.is_64_bit = bytes[EI_CLASS] == ELFCLASS64;
  file.machine = struct_at<Elf32_Ehdr>(bytes, 0)->e_machine;  // at the same place in both classes
  if (!file.is_64_bit) return file;
  const auto header = struct_at<Elf64_Ehdr>(bytes, 0);
  if (!header) return std::nullopt;
  file.interpreter = interpreter_of(bytes, *header);
  return file;
}

std::string machine_name(const ElfFile& file) {
  const auto* row = std::ranges::find(kMachines, file.machine, &MachineName::machine);
  const std::string name = row == kMachines.end() ? fmt::format("processor type {}", file.machine)
                                                  : std::string(row->name);
  return fmt::format("{} ({} bits)", name, file.is_64_bit ? 64 : 32);
}

void check_takes_libraries(const ElfFile& file, const std::filesystem::path& path) {
  if (!file.is_64_bit || file.machine != EM_X86_64) {
    throw UsageError(
        fmt::format("{} is a program for {}, but the simulated GPU is for x86-64 (64 bits) as "
                    "torch's CUDA wheel is; give a program for that",
                    path.string(), machine_name(file)));
  }
  if (file.interpreter.empty()) {
    throw UsageError(
        fmt::format("{} is linked statically, so nothing can stand in for its CUDA libraries; "
                    "link it against the shared libraries of torch",
                    path.string()));
  }
}

}  // namespace highwater
