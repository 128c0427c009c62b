#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/device_probe.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/core/testbed.hpp"
#include "harness/run/outcome.hpp"
#include "harness/run/request.hpp"

namespace highwater {

enum class Ending {
  answered,     ///< one line of answer and exit status 0
  refused,      ///< stopped by name: the simulated GPU was asked for what it cannot know
  failed,       ///< everything else that the process did by itself
  timed_out,    ///< killed by us after its time
  interrupted,  ///< killed by us because the run is being stopped
};

/// What became of one process.
struct CellReply {
  Ending ending = Ending::failed;
  std::string answer;  ///< the JSON line, where answered
  std::string reason;  ///< for people, where not answered
  std::string log;     ///< its standard output and error: the first and last 64 KiB
  std::chrono::duration<double> wall{};
};

/// Program, arguments and environment of one process.
struct Command {
  std::vector<std::string> arguments;  ///< arguments[0] is the program's path
  std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of our own
  std::vector<std::string> unset;  ///< variables of our own that it does not inherit
};

/// How a cell's process is started: the launcher, the libraries, the table of its device.
Command cell_command(const Cell& cell, const InstallPaths& paths);
/// The same, but that the simulated GPU answers the highest value where only a real device knows.
Command high_end_command(const Cell& cell, const InstallPaths& paths);

/// Starts the command in a process group of its own, hands it the request and waits. The whole
/// group is killed after `limit`, when `stop` becomes true, and when the process itself has ended,
/// so that nothing outlives the call. No descriptor but standard input, output, error and the
/// answer's reaches the process. Safe to call from several threads.
CellReply run_command(const Command& command, const std::string& request,
                      std::chrono::seconds limit, const std::atomic<bool>& stop);

/// Measures one cell, in a second process too where the first was asked for sizes that only a real
/// device knows. Whatever they do becomes one outcome; only Ending::interrupted needs the caller's
/// attention.
struct MeasuredCell {
  CellOutcome outcome;
  bool interrupted = false;
  std::string log;
  std::chrono::duration<double> wall{};
};
MeasuredCell measure_cell(const Cell& cell, const Protocol& protocol, const InstallPaths& paths,
                          const std::atomic<bool>& stop);

/// Sends a cell's process one command of CellRequest and returns its answer.
/// @throws Error (cell_error, or interrupted) with the process's own message.
nlohmann::json ask_cell(const char* command, const Cell& cell, const Protocol& protocol,
                        const InstallPaths& paths, const std::atomic<bool>& stop);

/// Asks a device for its testbed. @throws Error (cell_error, or interrupted) with the process's own
/// message.
Testbed describe_device(const std::string& device, const Protocol& protocol,
                        const InstallPaths& paths, const std::atomic<bool>& stop);

/// Asks a CUDA device what a device profile tells. @throws as describe_device.
DeviceProbe probe_device(const std::string& device, const Protocol& protocol,
                         const InstallPaths& paths, const std::atomic<bool>& stop);

}  // namespace highwater
