#include "harness/report/verdict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

namespace highwater {
namespace {

struct PartName {
  std::string_view category;
  std::string_view one;
};

constexpr std::array kPartNames = {PartName{"parameters", "parameter"},
                                   PartName{"gradients", "gradient"},
                                   PartName{"optimizer_state", "optimizer state"},
                                   PartName{"buffers", "buffer"},
                                   PartName{"inputs", "input"},
                                   PartName{"saved_activations", "saved activation"},
                                   PartName{"temporaries", "temporary"},
                                   PartName{"workspaces", "workspace"}};

std::string part_name(const PeakPart& part) {
  const auto* name = std::ranges::find(kPartNames, part.category, &PartName::category);
  std::string text(name == kPartNames.end() ? part.category : name->one);
  if (!part.op.empty()) text += " of " + part.op;
  return text;
}

std::string signed_digits(std::int64_t number) {
  return (number > 0 ? "+" : "") + group_digits(number);
}

std::string signed_bytes(Bytes bytes) {
  return (bytes > 0 ? "+" : "-") + format_bytes(std::abs(bytes));
}

Bytes bytes_of_all(const PeakPart& part) { return modules_of(part.module) * part.bytes; }

std::string blocks_text(const PeakPart& part) {
  const std::int64_t blocks = modules_of(part.module) * part.blocks;
  if (blocks == 0) return fmt::format("the same blocks, {} B", signed_digits(bytes_of_all(part)));
  return fmt::format("{} {}, {} B", signed_digits(blocks),
                     std::abs(blocks) == 1 ? "block" : "blocks", signed_digits(bytes_of_all(part)));
}

std::string part_line(const PeakPart& part) {
  return fmt::format("    {:>10}  {}, {}: {} ({})\n", signed_bytes(bytes_of_all(part)), part.phase,
                     part.module, part_name(part), blocks_text(part));
}

/// The largest parts, each on a line, and the rest as one: they sum to the change of the peak.
std::string growth_lines(PeakProfile growth) {
  constexpr std::size_t kShown = 12;
  std::ranges::stable_sort(growth, std::greater{},
                           [](const PeakPart& part) { return std::abs(bytes_of_all(part)); });
  std::string text;
  Bytes rest = 0;
  for (std::size_t i = 0; i < growth.size(); ++i) {
    if (i < kShown) text += part_line(growth[i]);
    if (i >= kShown) rest += bytes_of_all(growth[i]);
  }
  if (growth.size() <= kShown) return text;
  return text + fmt::format("    {:>10}  in {} smaller parts ({} B)\n", signed_bytes(rest),
                            growth.size() - kShown, signed_digits(rest));
}

}  // namespace

std::string verdict_lines(std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    const std::string why = explanation(verdict);
    text += fmt::format("{:<12} {}{}{}\n", verdict_row(verdict.kind).name, verdict.cell,
                        why.empty() ? "" : ": ", why);
    if (verdict.kind != VerdictKind::unchanged) text += growth_lines(verdict.growth);
  }
  return text;
}

std::string growth_text(std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    const bool moved = verdict.kind != VerdictKind::unchanged && !verdict.growth.empty();
    if (moved) text += verdict.cell + "\n" + growth_lines(verdict.growth);
  }
  return text;
}

}  // namespace highwater
