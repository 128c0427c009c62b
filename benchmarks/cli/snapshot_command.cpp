#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/files.hpp"
#include "harness/export/memory_snapshot.hpp"
#include "harness/export/pickle.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/matrix/device.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct SnapshotFlags {
  std::string cell;
  std::string device;
  fs::path output;
};

Cell cell_of(const SnapshotFlags& flags, const std::vector<std::string>& devices) {
  Cell cell = parse_cell_id(flags.cell);
  if (!flags.device.empty()) {
    cell.device = resolve_devices({flags.device}, devices, nvidia_driver_present()).at(0);
  }
  return cell;
}

ExitCode snapshot(const SnapshotFlags& flags) {
  const InstallPaths paths = install_paths();
  const Cell cell = cell_of(flags, device_names(paths.profiles));
  require_runnable(cell, paths, "has no snapshot");
  const auto stream = ask_cell("events", cell, Protocol{}, paths, stop_flag()).get<EventStream>();
  const fs::path file = flags.output.empty() ? fs::path(file_stem(cell) + ".pickle") : flags.output;
  write_file_atomically(file, to_pickle(memory_snapshot(cell_id(cell), stream)));
  std::cout << file.string() << "\n";
  std::cerr << "open it at https://docs.pytorch.org/memory_viz\n";
  return ExitCode::ok;
}

}  // namespace

void add_snapshot(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "snapshot", "write a cell's memory history as a snapshot that PyTorch's memory viewer opens");
  auto flags = std::make_shared<SnapshotFlags>();
  command->add_option("cell", flags->cell, "id, e.g. gpt2-small/full/baseline/sim:h200")
      ->required();
  command->add_option("--device", flags->device, "train it there (default: the id's device)");
  add_plugin_flag(*command);
  command->add_option("--output", flags->output,
                      "file to write (default: named after the cell, with .pickle)");
  command->callback([&action, flags] { action = [flags] { return snapshot(*flags); }; });
}

}  // namespace highwater::cli
