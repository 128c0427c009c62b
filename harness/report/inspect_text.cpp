#include "harness/report/inspect_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/allocator_text.hpp"
#include "harness/report/module_tree.hpp"
#include "harness/report/table.hpp"

namespace highwater {
namespace {

struct CategoryRow {
  const char* name;     ///< of kCategoryNames
  const char* heading;  ///< of its column in the tree; null where it counts as the rest
};

/// The four of a training step first.
constexpr std::array kCategories = {CategoryRow{"parameters", "parameters"},
                                    CategoryRow{"gradients", "gradients"},
                                    CategoryRow{"optimizer_state", "optimizer"},
                                    CategoryRow{"saved_activations", "activations"},
                                    CategoryRow{"temporaries", nullptr},
                                    CategoryRow{"buffers", nullptr},
                                    CategoryRow{"inputs", nullptr},
                                    CategoryRow{"workspaces", nullptr},
                                    CategoryRow{kUnattributed, nullptr}};

std::string share(Bytes part, Bytes whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

Bytes bytes_of(const ModuleNode& node, const char* category) {
  const auto found = node.by_category.find(category);
  return found == node.by_category.end() ? 0 : found->second;
}

std::string shown(Bytes bytes) { return bytes == 0 ? "-" : format_bytes(bytes); }

Table category_table(const ModuleNode& whole) {
  Table table{"What the peak is made of",
              {{"category"}, {"bytes", Align::right}, {"", Align::right}, {"%", Align::right}},
              {}};
  for (const CategoryRow& category : kCategories) {
    const Bytes bytes = bytes_of(whole, category.name);
    if (bytes == 0 && category.heading == nullptr) continue;
    table.rows.push_back(
        {category.name, format_bytes(bytes), group_digits(bytes), share(bytes, whole.bytes)});
  }
  table.rows.push_back({"peak", format_bytes(whole.bytes), group_digits(whole.bytes), ""});
  return table;
}

Table phase_table(const Inspection& inspection) {
  Table table{"Peak of each phase", {{"phase"}, {"bytes", Align::right}, {"", Align::right}}, {}};
  for (const PhasePeak& phase : inspection.phases) {
    if (phase.peak_bytes == 0) continue;
    table.rows.push_back(
        {phase.phase, format_bytes(phase.peak_bytes), group_digits(phase.peak_bytes)});
  }
  table.rows.push_back(
      {"after the step", format_bytes(inspection.rest_bytes), group_digits(inspection.rest_bytes)});
  return table;
}

Table tree_table(const std::vector<ModuleNode>& nodes) {
  Table table{"Module by module, at the peak", {{"module"}, {"bytes", Align::right}}, {}};
  for (const CategoryRow& category : kCategories) {
    if (category.heading != nullptr) table.columns.push_back({category.heading, Align::right});
  }
  table.columns.push_back({"rest", Align::right});
  for (const ModuleNode& node : nodes) {
    auto& row = table.rows.emplace_back();
    row = {std::string(2 * node.depth, ' ') + node.name, format_bytes(node.bytes)};
    Bytes rest = node.bytes;
    for (const CategoryRow& category : kCategories) {
      if (category.heading == nullptr) continue;
      rest -= bytes_of(node, category.name);
      row.push_back(shown(bytes_of(node, category.name)));
    }
    row.push_back(shown(rest));
  }
  return table;
}

Table block_table(const std::vector<LiveBlock>& blocks) {
  Table table{"Largest blocks at the peak",
              {{"bytes", Align::right}, {"category"}, {"module"}, {"born"}, {"operator"}},
              {}};
  for (const LiveBlock& block : blocks) {
    table.rows.push_back({format_bytes(block.bytes), block.category, block.module, block.born,
                          block.op.empty() ? "-" : block.op});
  }
  return table;
}

Table fragmentation_table(const Fragmentation& figures) {
  Table table{"Fragmentation", {{"figure"}, {"", Align::right}}, {}};
  table.rows = {
      {"reserved at the peak", format_bytes(figures.reserved_at_peak_bytes)},
      {"of it unused", format_bytes(figures.unused_at_peak_bytes)},
      {"reserved after the step", format_bytes(figures.reserved_at_rest_bytes)},
      {"of it unused", format_bytes(figures.unused_at_rest_bytes)},
      {"unused, in segments that are partly used", format_bytes(figures.pinned_at_rest_bytes)},
      {"largest unused block", format_bytes(figures.largest_unused_bytes)},
      {"unused blocks", group_digits(figures.unused_blocks)},
      {"segments", group_digits(figures.segments)}};
  return table;
}

}  // namespace

std::string inspect_text(const std::string& title, const Inspection& inspection,
                         std::size_t depth) {
  const auto nodes = module_tree(inspection.parts, depth);
  std::string text = fmt::format(
      "{}\npeak {} ({} B, {}) in phase {}\n\n", title, format_bytes(inspection.peak_bytes),
      group_digits(inspection.peak_bytes), inspection.certainty, inspection.peak_phase);
  text += to_text(category_table(nodes.front())) + "\n" + to_text(phase_table(inspection)) + "\n" +
          to_text(tree_table(nodes)) + "\n" + to_text(block_table(inspection.largest));
  if (inspection.fragmentation) {
    text += "\n" + to_text(fragmentation_table(*inspection.fragmentation));
  }
  if (inspection.allocator) text += "\n" + allocator_text(*inspection.allocator);
  return text;
}

}  // namespace highwater
