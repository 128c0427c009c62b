#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "benchmarks/cli/commands.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/exec/child.hpp"
#include "harness/exec/exec_report.hpp"
#include "harness/exec/posing_store.hpp"
#include "harness/exec/program.hpp"
#include "harness/exec/session.hpp"
#include "harness/exec/settings.hpp"
#include "harness/exec/standins.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct ExecFlags : ExecSettings {
  fs::path torch;
  fs::path report;
  std::vector<std::string> command;
};

/// Everything that is settled before the program starts.
struct Prepared {
  fs::path program;
  fs::path torch;
  fs::path profile;
  fs::path standins;
  std::string preload;
};

std::string own_preload() {
  const char* value = std::getenv("LD_PRELOAD");
  return value != nullptr ? value : "";
}

// A report that cannot be written must not be noticed after an hour of training.
void check_writable_report(const fs::path& report) {
  if (!report.empty()) write_file_atomically(report, "");
}

Prepared prepare(const ExecFlags& flags) {
  if (flags.command.empty())
    throw UsageError("say what to run: highwater exec --device sim:h200 -- python train.py");
  const InstallPaths paths = install_paths();
  Prepared prepared;
  prepared.profile = find_profile(flags.device, paths.profiles);
  simgpu_environment(flags, prepared.profile);
  prepared.program = find_program(flags.command.front());
  prepared.torch =
      flags.torch.empty() ? find_torch(prepared.program, flags.command) : fs::absolute(flags.torch);
  check_torch_folder(prepared.torch);
  check_writable_report(flags.report);
  prepared.standins = prepare_standins(prepared.torch, paths.simgpu);
  prepared.preload = preload_list(prepared.standins, own_preload());
  return prepared;
}

ExecRun run_once(const ExecSettings& settings, const std::vector<std::string>& command,
                 const Prepared& prepared) {
  const Session session;
  ChildCommand child{prepared.program, command, simgpu_environment(settings, prepared.profile),
                     decided_variables()};
  child.environment.emplace_back("SIMGPU_SESSION", session.folder().string());
  child.environment.emplace_back("LD_PRELOAD", prepared.preload);
  // Triton links its launchers against the libcuda.so.1 in this folder.
  child.environment.emplace_back("TRITON_LIBCUDA_PATH", prepared.standins.string());
  std::optional<PosingStore> store;
  if (settings.world) {
    store.emplace(*settings.world, *settings.rank);
    std::ranges::copy(store->environment(settings.devices), std::back_inserter(child.environment));
  }
  const int status = run_in_foreground(child);
  return {settings.device,
          command,
          status,
          prepared.torch,
          settings.unknown_sizes,
          read_pages(session.folder())};
}

/// The settings of each run: two where both ends of unknown sizes are wanted.
std::vector<ExecSettings> runs_of(const ExecFlags& flags) {
  if (flags.unknown_sizes != "both") return {flags};
  ExecSettings low = flags;
  ExecSettings high = flags;
  low.unknown_sizes = "low";
  high.unknown_sizes = "high";
  return {low, high};
}

ExitCode exec(ExecFlags flags) {
  const Prepared prepared = prepare(flags);
  if (flags.cudnn.empty()) flags.cudnn = find_cudnn(prepared.torch, prepared.standins);
  nlohmann::json reports = nlohmann::json::array();
  int status = 0;
  for (const ExecSettings& settings : runs_of(flags)) {
    const ExecRun run = run_once(settings, flags.command, prepared);
    std::cerr << exec_text(run) << std::flush;
    reports.push_back(exec_json(run));
    if (status == 0) status = run.status;
  }
  if (!flags.report.empty()) write_file_atomically(flags.report, reports.dump(2) + "\n");
  return static_cast<ExitCode>(status);
}

}  // namespace

void add_exec(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto* command = app.add_subcommand(
      "exec", "run any program that uses torch on a simulated GPU and report its memory");
  command->footer(
      "The program follows two dashes: highwater exec --device sim:h200 -- python train.py");
  auto flags = std::make_shared<ExecFlags>();
  flags->unknown_sizes = "low";
  flags->command = program;
  command->add_option("--device", flags->device, "sim:<profile>, or the file of a profile")
      ->required();
  command->add_option("--capacity", flags->capacity, "memory of another size, e.g. 24GiB");
  command->add_option("--devices", flags->devices, "how many devices there are (default: 1)");
  command->add_option("--order", flags->order,
                      "order of fresh addresses: falling (default), rising or random:SEED");
  command->add_option(
      "--reads", flags->reads,
      "what reads from the device find: zeros (default), ones or a file of answers");
  command->add_option("--log", flags->log,
                      "file for every kernel launch and product, as JSON lines");
  command->add_option("--world", flags->world, "pose as one rank of a world of this size");
  command->add_option("--rank", flags->rank, "which rank of --world");
  command
      ->add_option("--unknown-sizes", flags->unknown_sizes,
                   "answer where only a range of sizes is known: low (default), high, or both, "
                   "which runs the program twice")
      ->check(CLI::IsMember({"low", "high", "both"}));
  command->add_option("--cudnn", flags->cudnn, "folder of the real cuDNN, for convolutions");
  command->add_option("--torch", flags->torch,
                      "torch folder of the program, where it cannot be found");
  command->add_option("--report", flags->report, "file for the report as JSON");
  command->callback([&action, flags] { action = [flags] { return exec(*flags); }; });
}

}  // namespace highwater::cli
