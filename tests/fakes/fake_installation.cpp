#include "tests/fakes/fake_installation.hpp"

#include <cstdlib>

#include "harness/core/files.hpp"

namespace highwater::testing_fakes {
namespace {

namespace fs = std::filesystem;

TechniqueEntry technique(const std::string& name, std::vector<std::string> edits,
                         std::vector<std::string> excludes = {}) {
  return {.name = name,
          .summary = "a fake",
          .relieves = "",
          .scenario = "full",
          .when = "never",
          .cost = "nothing",
          .numerics = "bit_equal",
          .source = "",
          .tags = {"default"},
          .edits = std::move(edits),
          .excludes = std::move(excludes)};
}

ModelEntry model(const std::string& name, std::vector<std::string> needs = {}) {
  return {.name = name,
          .summary = "a fake",
          .tags = {name == "steady" ? "default" : "other"},
          .presets = {"full", "small", "twin"},
          .needs = std::move(needs),
          .abilities = {name == "steady" ? "linear" : "relu"}};
}

/// At home in preset "small", takes hold of linear layers only, and does nothing on the cpu.
TechniqueEntry technique_of_linear_layers() {
  TechniqueEntry entry = technique("tiny", {"layers"});
  entry.scenario = "small";
  entry.needs = {"linear"};
  entry.not_on_cpu = "it moves nothing there";
  entry.tags = {"other"};
  return entry;
}

TechniqueEntry technique_with_a_number() {
  TechniqueEntry entry = technique("split", {"parts"});
  entry.parameter = {.name = "k", .meaning = "parts", .value = 4, .smallest = 2};
  entry.tags = {"other"};
  return entry;
}

fs::path make_temporary() {
  std::string pattern = (fs::temp_directory_path() / "highwater-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  return pattern;
}

}  // namespace

Catalog fake_catalog() {
  Catalog catalog;
  for (const char* name : {"bounded",   "crash",    "descriptors",    "drifting", "environment",
                           "exit3",     "flood",    "garbage",        "hang",     "killed",
                           "leaky",     "negative", "no_peak",        "noisy",    "oom",
                           "refused",   "settled",  "silent",         "slow",     "steady",
                           "talkative", "tight",    "unknown_metric", "unsteady", "waits"}) {
    catalog.models.push_back(model(name));
  }
  catalog.models.push_back(model("vision", {"convolution"}));
  catalog.techniques = {technique("baseline", {}),
                        technique("half", {"precision"}),
                        technique("narrow", {"precision"}),
                        technique("save", {"segments"}),
                        technique("shy", {"optimizer"}, {"save"}),
                        technique_with_a_number(),
                        technique_of_linear_layers()};
  return catalog;
}

TemporaryFolder::TemporaryFolder() : path_(make_temporary()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FakeInstallation::FakeInstallation() {
  fs::create_directories(file("bin"));
  fs::create_symlink(HIGHWATER_FAKE_CELL, file("bin/highwater-cell"));
  const nlohmann::json catalog = fake_catalog();
  write_file_atomically(file("share/highwater/catalog.json"), catalog.dump());
  write_file_atomically(file("share/highwater/profiles/h200.json"), "{}");
  add_suite("default", {"steady"});
}

InstallPaths FakeInstallation::paths() const {
  const fs::path share = file("share/highwater");
  return {.cell_program = file("bin/highwater-cell"),
          .core_library = file("core.so"),
          .standins = file("standins"),
          .profiles = share / "profiles",
          .simgpu = share / "simgpu",
          .suites = share / "suites",
          .scripts = share / "scripts",
          .catalog = share / "catalog.json"};
}

void FakeInstallation::add_suite(const std::string& name, const std::vector<std::string>& models,
                                 const std::string& devices) const {
  const nlohmann::json names = models;
  write_file_atomically(paths().suites / (name + ".toml"),
                        "name = \"" + name + "\"\nmodels = {names = " + names.dump() +
                            "}\ntechniques = {names = [\"baseline\", \"save\"]}\ndevices = [" +
                            devices + "]\n");
}

Program FakeInstallation::start(const std::string& program,
                                const std::vector<std::string>& arguments,
                                std::map<std::string, std::string> environment) const {
  environment["HIGHWATER_PREFIX"] = folder().string();
  environment.insert({"HIGHWATER_CUDNN_DIR", file("cudnn").string()});
  std::vector<std::string> command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Program(command, folder(), environment);
}

ProgramResult FakeInstallation::highwater(
    const std::vector<std::string>& arguments,
    const std::map<std::string, std::string>& environment) const {
  return start(HIGHWATER_PROGRAM, arguments, environment).wait();
}

}  // namespace highwater::testing_fakes
