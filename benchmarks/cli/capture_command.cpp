#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/export/event_trace.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/measure/event_stream.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureFlags : SelectionFlags {
  fs::path into;
  bool trace = false;
};

/// Asks cells and device, writes what they answer.
class Capture {
 public:
  Capture(const CaptureFlags& flags, const InstallPaths& paths)
      : flags_(flags), paths_(paths), plan_(make_plan(flags, paths)) {}

  ExitCode run() {
    check_writable(flags_.into);
    for (const std::string& device : plan_.devices) device_facts(device);
    for (const PlannedCell& planned : plan_.cells) {
      events(planned);
      // After every cell: a capture that is cut short is still one.
      write_file_atomically(flags_.into / "capture.json", capture_.dump(1) + "\n");
    }
    std::cerr << "capture: " << (flags_.into / "capture.json").string() << "\n";
    return worst_;
  }

 private:
  void device_facts(const std::string& device) {
    Cell cell;
    cell.device = device;
    capture_["devices"][device] = {
        {"testbed", describe_device(device, plan_.suite.protocol, paths_, stop_flag())},
        {"rates", ask_cell("rates", cell, plan_.suite.protocol, paths_, stop_flag())}};
  }

  void events(const PlannedCell& planned) {
    const std::string id = cell_id(planned.cell);
    if (!planned.skip_reason.empty()) return note(id, "skipped", planned.skip_reason);
    try {
      const auto stream =
          ask_cell("events", planned.cell, plan_.suite.protocol, paths_, stop_flag())
              .get<EventStream>();
      const std::string file = "events/" + file_stem(planned.cell) + ".tsv";
      write_file_atomically(flags_.into / file, to_tsv(stream.events));
      capture_["cells"][id] = {{"events", file}, {"driver", stream.driver}};
      if (flags_.trace) trace(planned.cell, stream);
    } catch (const Error& error) {
      if (error.code() != ExitCode::cell_error) throw;
      worst_ = ExitCode::cell_error;
      note(id, "failed", error.what());
    }
  }

  void trace(const Cell& cell, const EventStream& stream) {
    const std::string id = cell_id(cell);
    const std::string file = "traces/" + file_stem(cell) + ".json";
    write_file_atomically(flags_.into / file, event_trace_json(id, stream.events));
    capture_["cells"][id]["trace"] = file;
  }

  // One cell that cannot be captured costs the others nothing.
  void note(const std::string& id, const char* what, const std::string& reason) {
    std::cerr << id << ": " << what << ": " << reason << "\n";
    capture_["cells"][id] = {{what, reason}};
  }

  const CaptureFlags& flags_;
  const InstallPaths& paths_;
  Plan plan_;
  nlohmann::json capture_ = {{"schema", "highwater-capture-1"}};
  ExitCode worst_ = ExitCode::ok;
};

}  // namespace

void add_capture(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "capture", "write every allocator event of cells, and the device's rates, for comparison");
  auto flags = std::make_shared<CaptureFlags>();
  add_selection_flags(*command, *flags);
  command->add_option("--into", flags->into, "folder to write")->required();
  command->add_flag("--trace", flags->trace,
                    "also write the events as traces that chrome://tracing and Perfetto open");
  command->callback([&action, flags] {
    action = [flags] {
      const InstallPaths paths = install_paths();
      return Capture(*flags, paths).run();
    };
  });
}

}  // namespace highwater::cli
