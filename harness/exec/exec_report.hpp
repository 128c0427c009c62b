#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/core/exit_code.hpp"
#include "simgpu/device/report_page.hpp"

namespace highwater {

/// One run of a program on the simulated GPU, after it ended.
struct ExecRun {
  std::string device;                ///< as the user named it
  std::vector<std::string> command;  ///< the program and its arguments
  int status = 0;                    ///< its exit status
  std::filesystem::path torch;
  std::string unknown_sizes;  ///< low or high: which end was answered where only a range is known
  std::vector<simgpu::ReportPage> pages;  ///< as read_pages gives them
};

/// What the processes took of one device together. Their peaks need not fall together, so the sum
/// is the most that they can have held at once.
struct SharedDevice {
  int index = 0;
  int processes = 0;
  Bytes sum_of_peaks = 0;     ///< reserved, contexts not included
  Bytes sum_of_contexts = 0;  ///< each process has one of its own
  Bytes capacity = 0;
};

/// The devices that any process used.
std::vector<SharedDevice> shared_devices(const std::vector<simgpu::ReportPage>& pages);

/// Whether a size was asked for of which only bounds are known without a device.
bool has_bounded_size(const ExecRun& run);

/// For people: one block a process, one table a device.
std::string exec_text(const ExecRun& run);

/// The same for programs: results/schema/exec-report.schema.json.
nlohmann::json exec_json(const ExecRun& run);

}  // namespace highwater
