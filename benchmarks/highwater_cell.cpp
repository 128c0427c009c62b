// The launcher of one cell. It links neither Torch nor CUDA: it maps the stand-ins of the simulated
// GPU first, so that the loader finds their sonames taken when it maps the Torch core. That wins
// over the RPATH in the wheel's libraries, which LD_LIBRARY_PATH does not.

#include <dlfcn.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "harness/core/die_with_parent.hpp"

namespace {

constexpr int kUsage = 2;

constexpr const char* kNoTorch =
    "run scripts/setup.sh, which on a machine with a GPU also installs NVIDIA's libraries; where "
    "LibTorch lies elsewhere than it did when this was built, name its lib folder in "
    "LD_LIBRARY_PATH";
constexpr const char* kForeignPlugin =
    "build the plug-in against this Highwater and its LibTorch (highwater_add_plugin)";

void* load(const std::filesystem::path& library, const char* advice) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle != nullptr) return handle;
  std::cerr << "cannot load " << library.string() << ": " << dlerror() << "; " << advice
            << std::endl;
  std::exit(kUsage);
}

void load_standins(const std::filesystem::path& folder) {
  std::ifstream names(folder / "sonames.txt");
  if (!names) {
    std::cerr << "no simulated GPU at " << folder.string() << ": sonames.txt is missing; build it"
              << std::endl;
    std::exit(kUsage);
  }
  for (std::string name; std::getline(names, name);) load(folder / name, kNoTorch);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs one cell and writes its answer to a file descriptor; started by highwater.");
  std::string core;
  std::string standins;
  std::vector<std::string> plugins;
  int result_descriptor = 1;
  pid_t parent = getppid();
  app.add_option("--core", core, "library that links Torch")->required();
  app.add_option("--standins", standins, "folder with the simulated GPU's libraries");
  app.add_option("--plugin", plugins, "library that registers models and techniques; repeatable");
  app.add_option("--result-fd", result_descriptor, "descriptor for the answer");
  app.add_option("--parent", parent, "process with which this one dies (default: who started it)");
  CLI11_PARSE(app, argc, argv);
  highwater::die_with_parent(parent);

  if (!standins.empty()) load_standins(standins);
  using CoreMain = int (*)(int);
  const auto core_main =
      reinterpret_cast<CoreMain>(dlsym(load(core, kNoTorch), "highwater_core_main"));
  if (core_main == nullptr) {
    std::cerr << core << " is not a Highwater core library" << std::endl;
    return kUsage;
  }
  for (const std::string& plugin : plugins) load(plugin, kForeignPlugin);
  const int status = core_main(result_descriptor);
  std::cout.flush();
  // Torch's destructors and the unmapping of its libraries take 0.4 s and decide nothing.
  std::_Exit(status);
}
