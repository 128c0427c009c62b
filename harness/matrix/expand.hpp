#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/config/suite_config.hpp"
#include "harness/matrix/catalog.hpp"
#include "harness/matrix/cell.hpp"

namespace highwater {

/// Values of one cell field; the product runs over all axes, the last one fastest.
struct Axis {
  std::string field;  ///< name of a row of cell_fields()
  std::vector<std::string> values;
};

/// In place of a preset: on an accelerator, each technique in the scenario that it declares (a
/// composition in that of its first), and baseline in every scenario.
inline constexpr std::string_view kScenarioPreset = "scenario";

/// A cell that is to be run, or to be skipped for a reason.
struct PlannedCell {
  Cell cell;
  std::string skip_reason;  ///< empty = run it
};

/// Entries of the catalogue that a selection takes, in catalogue order, then its names; each once.
/// @throws UsageError on a name or tag that nothing carries, with the nearest ones.
std::vector<std::string> select_models(const Selection& selection, const Catalog& catalog);
std::vector<std::string> select_techniques(const Selection& selection, const Catalog& catalog);

/// Each preset once. @throws UsageError on one that no model has, with the nearest ones.
std::vector<std::string> select_presets(const std::vector<std::string>& presets,
                                        const Catalog& catalog);

/// @throws UsageError where a name is unknown or stands twice, "baseline" is combined, or a number
/// is given that the technique does not take, or takes already by its bare name.
void check_technique(const std::string& technique, const Catalog& catalog);

/// @throws UsageError where model, preset, technique or device of the cell does not exist, with the
/// nearest names.
void check_cell(const Cell& cell, const Catalog& catalog, const std::vector<std::string>& devices);

/// The product of the axes, each cell once. A cell without a preset takes the one that fits its
/// device. Each cell that cannot run keeps its place with the reason.
std::vector<PlannedCell> expand(const std::vector<Axis>& axes, const Catalog& catalog);

/// Why this cell cannot run; empty where it can.
std::string skip_reason(const Cell& cell, const Catalog& catalog);

/// The planned cells whose id matches one of the globs ("*" spans slashes); no glob keeps all.
/// @throws UsageError where nothing is left, with ids that exist.
std::vector<PlannedCell> filter_cells(std::vector<PlannedCell> cells,
                                      const std::vector<std::string>& globs);

}  // namespace highwater
