#include "harness/exec/exec_budget.hpp"

#include <fmt/format.h>

namespace highwater {
namespace {

using simgpu::ReportPage;

/// The device of which a process took most.
struct Largest {
  const ReportPage* page = nullptr;
  std::size_t device = 0;
  Bytes bytes = -1;
  const char* what = "";
};

bool knows_whole_peak(const ReportPage::Torch& torch) {
  return torch.sampled != 0 && torch.peaks_survive_resets != 0;
}

Largest of_device(const ReportPage& page, std::size_t index) {
  const ReportPage::Device& device = page.devices[index];
  if (knows_whole_peak(device.torch))
    return {&page, index, static_cast<Bytes>(device.torch.allocated.peak), "allocated"};
  return {&page, index, static_cast<Bytes>(device.reserved.peak), "reserved"};
}

Largest largest_of(const std::vector<ReportPage>& pages) {
  Largest most;
  for (const ReportPage& page : pages) {
    for (std::size_t i = 0; i < ReportPage::most_devices; ++i) {
      if (page.devices[i].used == 0) continue;
      if (const Largest here = of_device(page, i); here.bytes > most.bytes) most = here;
    }
  }
  return most;
}

std::string size_text(Bytes bytes) {
  return fmt::format("{} ({} bytes)", format_bytes(bytes), group_digits(bytes));
}

}  // namespace

BudgetVerdict judge_budget(const ExecRun& run, Bytes budget) {
  const std::string held = "budget of " + size_text(budget);
  if (run.status != 0) {
    return {ExitCode::cell_error,
            fmt::format("{}: not judged, the program ended with status {}\n", held, run.status)};
  }
  const Largest most = largest_of(run.pages);
  if (most.page == nullptr) {
    return {ExitCode::cell_error, held +
                                      ": not judged, no process used the device; a program that "
                                      "trains on the cpu keeps any budget\n"};
  }
  const bool kept = most.bytes <= budget;
  return {kept ? ExitCode::ok : ExitCode::regression,
          fmt::format("{}: {}, process {} {} {} of device {} at its peak\n", held,
                      kept ? "kept" : "exceeded by " + size_text(most.bytes - budget),
                      most.page->process, most.what, size_text(most.bytes), most.device)};
}

}  // namespace highwater
