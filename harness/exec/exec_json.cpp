#include "harness/exec/exec_report.hpp"

namespace highwater {
namespace {

using nlohmann::json;
using simgpu::ReportPage;

constexpr int kSchema = 1;

json level_json(const ReportPage::Level& level) {
  return {{"peak", level.peak}, {"final", level.now}};
}

json torch_json(const ReportPage::Torch& torch) {
  if (torch.sampled == 0) return nullptr;
  return {{"sampled", torch.sampled == 2 ? "at-exit" : "while-running"},
          {"requested_bytes", level_json(torch.requested)},
          {"allocated_bytes", level_json(torch.allocated)},
          {"reserved_bytes", level_json(torch.reserved)},
          {"retries", torch.retries},
          {"out_of_memory", torch.out_of_memory},
          {"peaks_survive_resets", torch.peaks_survive_resets != 0}};
}

json device_json(std::size_t index, const ReportPage::Device& device) {
  json blocks = json::array();
  for (const std::uint64_t block : device.blocks)
    if (block != 0) blocks.push_back(block);
  return {{"index", index},
          {"capacity_bytes", device.capacity},
          {"context_bytes", device.context},
          {"reserved_bytes", level_json(device.reserved)},
          {"mallocs", device.mallocs},
          {"frees", device.frees},
          {"failed_mallocs", device.failed_mallocs},
          {"largest_failed_bytes", device.largest_failed},
          {"blocks_at_peak", device.block_count},
          {"largest_blocks_bytes", blocks},
          {"torch", torch_json(device.torch)}};
}

json process_json(const ReportPage& page) {
  json devices = json::array();
  for (std::size_t i = 0; i < ReportPage::most_devices; ++i)
    if (page.devices[i].used != 0) devices.push_back(device_json(i, page.devices[i]));
  json notes = json::array();
  for (std::size_t i = 0; i < page.note_count; ++i)
    notes.push_back({{"kind", page.notes[i].kind},
                     {"text", page.notes[i].text},
                     {"count", page.notes[i].count}});
  return {{"process", page.process},
          {"parent", page.parent},
          {"command", page.command},
          {"launches", page.launches},
          {"library_calls", page.library_calls},
          {"devices", devices},
          {"notes", notes},
          {"notes_left_out", page.notes_left_out}};
}

json shared_json(const SharedDevice& device) {
  return {{"index", device.index},
          {"processes", device.processes},
          {"capacity_bytes", device.capacity},
          {"sum_of_reserved_peaks_bytes", device.sum_of_peaks},
          {"sum_of_contexts_bytes", device.sum_of_contexts}};
}

void add(SharedDevice& sum, int index, const ReportPage::Device& device) {
  sum.index = index;
  ++sum.processes;
  sum.sum_of_peaks += static_cast<Bytes>(device.reserved.peak);
  sum.sum_of_contexts += static_cast<Bytes>(device.context);
  sum.capacity = static_cast<Bytes>(device.capacity);
}

}  // namespace

std::vector<SharedDevice> shared_devices(const std::vector<ReportPage>& pages) {
  std::vector<SharedDevice> devices;
  for (std::size_t i = 0; i < ReportPage::most_devices; ++i) {
    SharedDevice sum;
    for (const ReportPage& page : pages)
      if (page.devices[i].used != 0) add(sum, static_cast<int>(i), page.devices[i]);
    if (sum.processes > 0) devices.push_back(sum);
  }
  return devices;
}

json exec_json(const ExecRun& run) {
  json report = {{"schema", kSchema},           {"device", run.device},
                 {"command", run.command},      {"exit_status", run.status},
                 {"torch", run.torch.string()}, {"unknown_sizes", run.unknown_sizes},
                 {"processes", json::array()},  {"devices", json::array()}};
  for (const ReportPage& page : run.pages) report["processes"].push_back(process_json(page));
  for (const SharedDevice& device : shared_devices(run.pages))
    report["devices"].push_back(shared_json(device));
  return report;
}

}  // namespace highwater
