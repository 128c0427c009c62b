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
#include "harness/exec/exec_budget.hpp"
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
  std::string budget;
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
  ExecRun run{settings.device,
              command,
              status,
              prepared.torch,
              settings.unknown_sizes,
              read_pages(session.folder())};
  std::cerr << exec_text(run) << std::flush;
  return run;
}

/// A budget must hold for sure: at the high ends too, where the program met sizes of which only
/// bounds are known.
bool wants_high_end(const ExecFlags& flags, const ExecRun& low) {
  const bool left_open = flags.unknown_sizes.empty() && !flags.budget.empty();
  return flags.unknown_sizes == "both" || (left_open && low.status == 0 && has_bounded_size(low));
}

std::vector<ExecRun> run_ends(const ExecFlags& flags, const Prepared& prepared) {
  ExecSettings settings = flags;
  if (settings.unknown_sizes != "high") settings.unknown_sizes = "low";
  std::vector<ExecRun> runs = {run_once(settings, flags.command, prepared)};
  if (wants_high_end(flags, runs.front())) {
    settings.unknown_sizes = "high";
    runs.push_back(run_once(settings, flags.command, prepared));
  }
  return runs;
}

ExitCode status_of(const std::vector<ExecRun>& runs) {
  const auto failed =
      std::ranges::find_if(runs, [](const ExecRun& run) { return run.status != 0; });
  return static_cast<ExitCode>(failed == runs.end() ? 0 : failed->status);
}

// The program's own failure comes first: its status says more than that nothing could be judged.
ExitCode status_under(Bytes budget, const std::vector<ExecRun>& runs) {
  ExitCode worst = ExitCode::ok;
  for (const ExecRun& run : runs) {
    const BudgetVerdict verdict = judge_budget(run, budget);
    std::cerr << verdict.text << std::flush;
    worst = worse(worst, verdict.code);
  }
  const ExitCode status = status_of(runs);
  return status != ExitCode::ok ? status : worst;
}

ExitCode exec(ExecFlags flags) {
  std::optional<Bytes> budget;
  if (!flags.budget.empty()) budget = parse_bytes(flags.budget);
  const Prepared prepared = prepare(flags);
  if (flags.cudnn.empty()) flags.cudnn = find_cudnn(prepared.torch, prepared.standins);
  const std::vector<ExecRun> runs = run_ends(flags, prepared);
  nlohmann::json reports = nlohmann::json::array();
  for (const ExecRun& run : runs) reports.push_back(exec_json(run));
  if (!flags.report.empty()) write_file_atomically(flags.report, reports.dump(2) + "\n");
  return budget ? status_under(*budget, runs) : status_of(runs);
}

}  // namespace

void add_exec(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto* command = app.add_subcommand(
      "exec", "run any program that uses torch on a simulated GPU and report its memory");
  command->footer(
      "The program follows two dashes: highwater exec --device sim:h200 -- python train.py");
  auto flags = std::make_shared<ExecFlags>();
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
  command->add_option("--budget", flags->budget,
                      "most that a process may allocate on a device, e.g. 10GiB; exit status 3 "
                      "where it takes more");
  command->add_option("--report", flags->report, "file for the report as JSON");
  command->callback([&action, flags] { action = [flags] { return exec(*flags); }; });
}

}  // namespace highwater::cli
