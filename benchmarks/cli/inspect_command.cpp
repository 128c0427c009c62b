#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/matrix/device.hpp"
#include "harness/measure/inspection.hpp"
#include "harness/report/inspect_text.hpp"

namespace highwater::cli {
namespace {

struct InspectFlags {
  std::string model;
  std::string technique = "baseline";
  std::string device = "accelerator";
  std::string preset;
  std::string capacity;
  std::optional<std::int64_t> batch;
  std::size_t depth = 2;
  std::string format = "text";
};

Cell cell_of(const InspectFlags& flags, const std::vector<std::string>& devices) {
  Cell cell;
  cell.model = flags.model;
  cell.technique = flags.technique;
  cell.device = resolve_devices({flags.device}, devices, nvidia_driver_present()).at(0);
  cell.preset = flags.preset.empty() ? kind_of_device(cell.device).default_preset : flags.preset;
  cell.batch = flags.batch;
  if (!flags.capacity.empty()) cell.capacity = parse_bytes(flags.capacity);
  return cell;
}

ExitCode inspect(const InspectFlags& flags) {
  const InstallPaths paths = install_paths();
  const Cell cell = cell_of(flags, device_names(paths.profiles));
  require_runnable(cell, paths, "cannot be inspected");
  const nlohmann::json answer = ask_cell("inspect", cell, Protocol{}, paths, stop_flag());
  std::cout << (flags.format == "json"
                    ? answer.dump(2) + "\n"
                    : inspect_text(cell_id(cell), answer.get<Inspection>(), flags.depth));
  return ExitCode::ok;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "inspect", "say where the memory of one training step goes, at its highest moment");
  auto flags = std::make_shared<InspectFlags>();
  command->add_option("model", flags->model, "model to train")->required();
  command->add_option("technique", flags->technique,
                      "technique, or several joined by '+' (default: baseline)");
  command->add_option("--device", flags->device,
                      "cuda, cpu, sim:<profile> or accelerator (default: accelerator)");
  command->add_option("--preset", flags->preset, "size of the model (default: the device's)");
  add_cell_parameters(*command, flags->capacity, flags->batch);
  add_plugin_flag(*command);
  command->add_option("--depth", flags->depth, "levels of the tree of modules (default: 2)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{16}));
  command->add_option("--format", flags->format, "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}));
  command->callback([&action, flags] { action = [flags] { return inspect(*flags); }; });
}

}  // namespace highwater::cli
