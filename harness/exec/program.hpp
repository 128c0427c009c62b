#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace highwater {

/// The file that a shell would start for this word: a path as it stands, a name by PATH.
/// @throws UsageError where there is none that may be executed.
std::filesystem::path find_program(const std::string& word);

/// Whether a file of this name is a Python interpreter: python, python3, python3.12, python3.13t.
bool is_python_name(const std::string& name);

/// The words of a script's first line after "#!", nothing for another file. "env" and its flags
/// are left out, so that the first word is the interpreter.
std::vector<std::string> interpreter_words(const std::filesystem::path& script);

/// The torch folder (with lib/ and include/) that a command will load, without running it:
///
///   a Python interpreter, or a script of one   asks that interpreter where it would find torch
///   another executable                         asks its loader which libraries it would load
///   a shell, a shell script, env, timeout...   asks python3 on PATH, which they may start
///
/// @throws UsageError, one sentence, where that finds none, or the program cannot take the
/// stand-ins (elf_file.hpp).
std::filesystem::path find_torch(const std::filesystem::path& program,
                                 const std::vector<std::string>& words);

/// @throws UsageError, one sentence, where the folder holds no torch, or one that was not built for
/// CUDA.
void check_torch_folder(const std::filesystem::path& torch);

}  // namespace highwater
