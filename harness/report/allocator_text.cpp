#include "harness/report/allocator_text.hpp"

#include <fmt/format.h>

#include <array>

namespace highwater {
namespace {

constexpr std::size_t kWidth = 75;

using Format = std::string (*)(std::int64_t value, std::int64_t leading);

/// In units that fit `leading`, rounded down: bytes as KiB from 768 KiB on.
std::string size_text(std::int64_t value, std::int64_t leading) {
  constexpr std::array kUnits = {"B  ", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  auto rest = static_cast<double>(leading);
  for (; unit + 1 < kUnits.size() && rest >= 768 * 1024; ++unit) {
    value /= 1024;
    rest /= 1024;
  }
  return fmt::format("{:6d} {}", value, kUnits.at(unit));
}

/// In units that fit `leading`, rounded down: thousands as K from 750,000 on.
std::string count_text(std::int64_t value, std::int64_t leading) {
  constexpr std::array kUnits = {" ", "K", "M"};
  std::size_t unit = 0;
  auto rest = static_cast<double>(leading);
  for (; unit + 1 < kUnits.size() && rest >= 750 * 1000; ++unit) {
    value /= 1000;
    rest /= 1000;
  }
  return fmt::format("{:7d} {} ", value, kUnits.at(unit));
}

struct Row {
  const char* key;
  const char* name;
  Format format;
};

constexpr std::array kPooled = {Row{"allocated_bytes", "Allocated memory", &size_text},
                                Row{"active_bytes", "Active memory", &size_text},
                                Row{"requested_bytes", "Requested memory", &size_text},
                                Row{"reserved_bytes", "GPU reserved memory", &size_text},
                                Row{"inactive_split_bytes", "Non-releasable memory", &size_text},
                                Row{"allocation", "Allocations", &count_text},
                                Row{"active", "Active allocs", &count_text},
                                Row{"segment", "GPU reserved segments", &count_text},
                                Row{"inactive_split", "Non-releasable allocs", &count_text}};

constexpr std::array kOversize = {Row{"oversize_allocations", "Oversize allocations", &count_text},
                                  Row{"oversize_segments", "Oversize GPU segments", &count_text}};

std::string line(const std::string& content) { return "|" + content + "|\n"; }
std::string rule(char mark) { return line(std::string(kWidth, mark)); }

std::string row_line(const std::string& name, Format format, const AllocatorStat& stat,
                     const AllocatorStat& leading) {
  return line(fmt::format(" {:<21} | {} | {} | {} | {} ", name,
                          format(stat.current, leading.current), format(stat.peak, leading.peak),
                          format(stat.allocated, leading.allocated),
                          format(stat.freed, leading.freed)));
}

std::string pooled_lines(const Row& row, const AllocatorSummary& summary) {
  const std::string key = row.key;
  const AllocatorStat& all = summary.stats.at(key + ".all");
  return rule('-') + row_line(row.name, row.format, all, all) +
         row_line("      from large pool", row.format, summary.stats.at(key + ".large_pool"), all) +
         row_line("      from small pool", row.format, summary.stats.at(key + ".small_pool"), all);
}

}  // namespace

std::string allocator_text(const AllocatorSummary& summary) {
  std::string text = rule('=');
  text += line(
      fmt::format(" {:16} PyTorch CUDA memory summary, device ID {:<17d} ", "", summary.device));
  text += rule('-');
  text += line(fmt::format("  {:9} CUDA OOMs: {:<12d} | {:6} cudaMalloc retries: {:<8d}  ", "",
                           summary.out_of_memory, "", summary.retries));
  text += rule('=');
  text += line("        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ");
  for (const Row& row : kPooled) text += pooled_lines(row, summary);
  for (const Row& row : kOversize) {
    const AllocatorStat& stat = summary.stats.at(row.key);
    text += rule('-') + row_line(row.name, row.format, stat, stat);
  }
  return text + rule('=');
}

}  // namespace highwater
