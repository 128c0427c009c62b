#include "harness/exec/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/exec/child.hpp"
#include "harness/exec/elf_file.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

// Programs that only start another one, which may be a Python.
constexpr std::array<std::string_view, 12> kStarters = {"sh",   "bash",    "dash",    "zsh",
                                                        "env",  "timeout", "nice",    "nohup",
                                                        "time", "taskset", "numactl", "xargs"};

// Flags of Python that change where it looks for modules.
constexpr std::array<std::string_view, 5> kPathFlags = {"-I", "-E", "-s", "-S", "-P"};

// Finds torch and does not import it. The working directory, which "-c" puts in front, is left out:
// a script does not look there. The mark tells our line from what start-up files print.
constexpr std::string_view kMark = "highwater-torch:";
constexpr std::string_view kQuestion =
    "import importlib.util, os, sys\n"
    "sys.path[:] = [p for p in sys.path if p]\n"
    "s = importlib.util.find_spec('torch')\n"
    "print('highwater-torch:' + (os.path.dirname(s.origin) if s and s.origin else ''))\n";

// Torch's libraries as a program's own loader names them, the ones that need a GPU first.
constexpr std::array<std::string_view, 5> kTorchLibraries = {
    "libtorch_cuda.so", "libc10_cuda.so", "libtorch.so", "libtorch_cpu.so", "libc10.so"};

bool is_executable_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// What follows the mark of a line, nothing where no line has it.
std::string marked_line(const std::string& output) {
  for (const std::string& line : split(output, '\n'))
    if (line.starts_with(kMark)) return line.substr(kMark.size());
  return {};
}

std::vector<std::string> path_flags(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (std::size_t i = 1; i < words.size() && words[i].starts_with("-"); ++i)
    if (holds(kPathFlags, words[i])) flags.push_back(words[i]);
  return flags;
}

fs::path ask_python(const fs::path& python, const std::vector<std::string>& words) {
  std::vector<std::string> arguments = path_flags(words);
  arguments.insert(arguments.begin(), python.string());
  arguments.insert(arguments.end(), {"-c", std::string(kQuestion)});
  const Captured answer = capture_output({python, arguments, {}, {}});
  const fs::path torch = marked_line(answer.output);
  if (torch.empty()) {
    throw UsageError(
        fmt::format("{} finds no torch, so there is nothing to simulate a GPU for; install the "
                    "wheel there (pip install torch), or name a torch folder by --torch",
                    python.string()));
  }
  return torch;
}

fs::path ask_python_on_path(const fs::path& program) {
  try {
    return ask_python(find_program("python3"), {});
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{} may start any program, and the python3 on PATH does not tell which torch "
                    "is meant ({}); name its folder by --torch",
                    program.string(), error.what()));
  }
}

/// "<name> => <path> (0x...)" of the loader's list.
fs::path listed_path(const std::string& list, std::string_view name) {
  for (const std::string& line : split(list, '\n')) {
    std::istringstream words(line);
    std::string library, arrow, path;
    words >> library >> arrow >> path;
    if (library == name && arrow == "=>" && path.starts_with("/")) return path;
  }
  return {};
}

// The loader told by its variable, and not by its flag --list, lists on where a library is missing:
// NVIDIA's usually are.
fs::path ask_loader(const fs::path& program, const ElfFile& file) {
  const Captured answer = capture_output({file.interpreter,
                                          {file.interpreter, fs::absolute(program).string()},
                                          {{"LD_TRACE_LOADED_OBJECTS", "1"}},
                                          {}});
  for (const std::string_view name : kTorchLibraries) {
    const fs::path library = listed_path(answer.output, name);
    if (!library.empty()) return fs::weakly_canonical(library).parent_path().parent_path();
  }
  throw UsageError(
      fmt::format("{} is not linked to the shared libraries of torch, so there is no CUDA to "
                  "stand in for; link it to libtorch_cuda.so, or name a torch folder by --torch if "
                  "it loads one later",
                  program.string()));
}

fs::path find_torch_of_script(const fs::path& script) {
  const auto words = interpreter_words(script);
  if (words.empty()) {
    throw UsageError(fmt::format(
        "{} is neither a program nor a script with a first line such as #!/usr/bin/env python3; "
        "put its interpreter in front",
        script.string()));
  }
  const std::string name = fs::path(words.front()).filename().string();
  if (is_python_name(name)) return ask_python(find_program(words.front()), words);
  return ask_python_on_path(script);
}

}  // namespace

fs::path find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (is_executable_file(word)) return word;
    throw UsageError(fmt::format("{} is no file that may be executed; check the path", word));
  }
  const char* folders = std::getenv("PATH");
  for (const std::string& folder : split(folders != nullptr ? folders : "/usr/bin:/bin", ':')) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / word;
    if (is_executable_file(path)) return path;
  }
  throw UsageError(fmt::format("there is no program \"{}\" on PATH; check its name", word));
}

bool is_python_name(const std::string& name) {
  static const std::regex pattern(R"(python[0-9]*(\.[0-9]+)?t?)");
  return std::regex_match(name, pattern);
}

std::vector<std::string> interpreter_words(const fs::path& script) {
  const std::string start = read_file_start(script, 4096);
  if (!start.starts_with("#!")) return {};
  std::istringstream line(start.substr(2, start.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  if (words.empty() || fs::path(words.front()).filename() != "env") return words;
  words.erase(words.begin());
  while (!words.empty() && words.front().starts_with("-")) words.erase(words.begin());
  return words;
}

fs::path find_torch(const fs::path& program, const std::vector<std::string>& words) {
  const auto file = read_elf(program);
  if (file) check_takes_libraries(*file, program);
  const std::string name = program.filename().string();
  if (is_python_name(name)) return ask_python(program, words);  // also a script that picks one
  if (!file) return find_torch_of_script(program);
  if (holds(kStarters, name)) return ask_python_on_path(program);
  return ask_loader(program, *file);
}

void check_torch_folder(const fs::path& torch) {
  const auto has = [&](const char* name) { return fs::exists(torch / "lib" / name); };
  if (has("libtorch_cuda.so") && has("libc10_cuda.so")) return;
  if (has("libtorch_hip.so")) {
    throw UsageError(
        fmt::format("the torch in {} is built for AMD's ROCm, and the simulated GPU is one of "
                    "NVIDIA's; install the CUDA build of torch (the wheel of PyPI for Linux)",
                    torch.string()));
  }
  if (has("libtorch_cpu.so")) {
    throw UsageError(
        fmt::format("the torch in {} is built for the CPU only; install the CUDA build of torch "
                    "(the wheel of PyPI for Linux; it needs no GPU to be installed)",
                    torch.string()));
  }
  throw UsageError(
      fmt::format("{} is no torch folder: it holds no lib/libtorch_cuda.so", torch.string()));
}

}  // namespace highwater
