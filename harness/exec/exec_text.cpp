#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/exec/exec_report.hpp"
#include "harness/report/table.hpp"

namespace highwater {
namespace {

using simgpu::ReportPage;

Bytes bytes_of(std::uint64_t value) { return static_cast<Bytes>(value); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", group_digits(bytes_of(count)), count == 1 ? one : many);
}

std::vector<std::string> level_row(const char* name, const ReportPage::Level& level) {
  const Bytes peak = bytes_of(level.peak);
  const Bytes now = bytes_of(level.now);
  return {std::string("  ") + name, group_digits(peak), format_bytes(peak), group_digits(now),
          format_bytes(now)};
}

std::string level_table(int index, const ReportPage::Device& device) {
  Table table{.title = "",
              .columns = {{fmt::format("  device {}", index)},
                          {"peak bytes", Align::right},
                          {"", Align::right},
                          {"final bytes", Align::right},
                          {"", Align::right}},
              .rows = {level_row("reserved, driver", device.reserved)}};
  if (device.torch.sampled != 0) {
    table.rows.push_back(level_row("reserved, torch", device.torch.reserved));
    table.rows.push_back(level_row("allocated", device.torch.allocated));
    table.rows.push_back(level_row("requested", device.torch.requested));
  }
  return to_text(table);
}

std::string room_line(const ReportPage::Device& device) {
  const Bytes left =
      bytes_of(device.capacity) - bytes_of(device.context) - bytes_of(device.reserved.peak);
  return fmt::format("    room: {} in all, {} for the context, {} left at the peak ({} bytes)\n",
                     format_bytes(bytes_of(device.capacity)),
                     format_bytes(bytes_of(device.context)), format_bytes(left),
                     group_digits(left));
}

std::string calls_line(const ReportPage::Device& device) {
  std::string line = fmt::format(
      "    calls: {} cudaMalloc, {} cudaFree, {} refused", group_digits(bytes_of(device.mallocs)),
      group_digits(bytes_of(device.frees)), group_digits(bytes_of(device.failed_mallocs)));
  if (device.failed_mallocs != 0)
    line +=
        fmt::format(" (the largest asked for {})", format_bytes(bytes_of(device.largest_failed)));
  if (device.torch.sampled != 0) {
    line += fmt::format("; torch: {}, {} out of memory",
                        counted(device.torch.retries, "retry", "retries"),
                        group_digits(bytes_of(device.torch.out_of_memory)));
  }
  return line + "\n";
}

std::string blocks_line(const ReportPage::Device& device) {
  std::string list;
  for (const std::uint64_t block : device.blocks)
    if (block != 0) list += (list.empty() ? "" : ", ") + format_bytes(bytes_of(block));
  if (list.empty()) return {};
  return fmt::format("    largest of the {} at the peak: {}\n",
                     counted(device.block_count, "block", "blocks"), list);
}

std::string torch_line(const ReportPage::Device& device) {
  if (device.torch.sampled == 0) return "    torch's own statistics could not be asked\n";
  std::string line;
  if (device.torch.sampled == 1)
    line += "    torch's numbers are those of its last free: the process did not end by itself\n";
  if (device.torch.peaks_survive_resets == 0)
    line += "    torch's peaks are those since the program last reset them\n";
  return line;
}

std::string notes_text(const ReportPage& page) {
  std::string text;
  for (std::size_t i = 0; i < page.note_count; ++i) {
    const ReportPage::Note& note = page.notes[i];
    text += fmt::format("  {}: {}{}\n", note.kind, note.text,
                        note.count > 1 ? fmt::format(" ({} times)", note.count) : "");
  }
  if (page.notes_left_out != 0)
    text += fmt::format("  {} left out\n", counted(page.notes_left_out, "more note", "more notes"));
  return text.empty() ? "  not answerable: nothing\n" : text;
}

std::string process_text(const ReportPage& page) {
  std::string text = fmt::format("process {}: {}\n  {}, {}\n", page.process, page.command,
                                 counted(page.launches, "kernel launch", "kernel launches"),
                                 counted(page.library_calls, "library call", "library calls"));
  for (std::size_t i = 0; i < ReportPage::most_devices; ++i) {
    const ReportPage::Device& device = page.devices[i];
    if (device.used == 0) continue;
    text += level_table(static_cast<int>(i), device) + room_line(device) + calls_line(device) +
            blocks_line(device) + torch_line(device);
  }
  return text + notes_text(page);
}

std::string shared_text(const std::vector<SharedDevice>& devices) {
  std::string text;
  for (const SharedDevice& device : devices) {
    if (device.processes < 2) continue;
    text += fmt::format(
        "device {} was used by {} processes: their reserved peaks add up to {} bytes ({}), with "
        "their contexts to {} of {}\n",
        device.index, device.processes, group_digits(device.sum_of_peaks),
        format_bytes(device.sum_of_peaks),
        format_bytes(device.sum_of_peaks + device.sum_of_contexts), format_bytes(device.capacity));
  }
  return text;
}

}  // namespace

bool has_bounded_size(const ExecRun& run) {
  const auto is_bounded = [](const ReportPage::Note& note) {
    return std::string_view(note.kind) == "bounded-size";
  };
  return std::ranges::any_of(run.pages, [&](const ReportPage& page) {
    return std::any_of(page.notes, page.notes + page.note_count, is_bounded);
  });
}

std::string exec_text(const ExecRun& run) {
  std::string text = fmt::format("highwater: {} ended with status {} on {}\n", joined(run.command),
                                 run.status, run.device);
  if (run.pages.empty()) return text + "no process of it used the device\n";
  for (const ReportPage& page : run.pages) text += process_text(page);
  if (has_bounded_size(run)) {
    text += fmt::format(
        "some sizes have only bounds without a device, and the {} ends were answered; "
        "--unknown-sizes both runs the program with each\n",
        run.unknown_sizes);
  }
  return text + shared_text(shared_devices(run.pages));
}

}  // namespace highwater
