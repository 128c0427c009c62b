#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/bytes.hpp"

namespace highwater {

/// One point of the matrix: model x preset x technique x device x parameters.
struct Cell {
  std::string model;      ///< registered model, e.g. "gpt2-small"
  std::string preset;     ///< "full" (sim, cuda) or "twin" (cpu): a size of the same code
  std::string technique;  ///< "baseline", or names joined by '+', applied in order
  std::string device;     ///< "cuda", "sim:<profile>" or "cpu"
  std::optional<std::int64_t> batch;  ///< samples a step; absent = the preset's own
  std::optional<Bytes> capacity;      ///< device memory override (sim only); absent = the profile's

  bool operator==(const Cell&) const = default;
};

/// One row per field of Cell. The table drives id, JSON, filters and console columns, so that a new
/// axis is one row here and one line where its value is parsed.
struct CellField {
  std::string_view name;
  std::string_view meaning;
  /// Text of the value, empty where absent.
  std::function<std::string(const Cell&)> get;
  /// Sets the field from text. @throws UsageError naming field and text.
  std::function<void(Cell&, std::string_view)> set;
  /// An optional field appears in the id as "name=value", and only when present.
  bool optional;
};

std::span<const CellField> cell_fields();

/// Stable key: "model/preset/technique/device" followed by "/name=value" for present optional
/// fields.
std::string cell_id(const Cell& cell);

/// The id as a file name without extension: '/' becomes '_', ':' becomes '-'.
std::string file_stem(const Cell& cell);

/// Inverse of cell_id. @throws UsageError naming the text and the expected form.
Cell parse_cell_id(std::string_view id);

void to_json(nlohmann::json& json, const Cell& cell);
void from_json(const nlohmann::json& json, Cell& cell);

/// The technique that changes nothing.
inline constexpr std::string_view kBaselineTechnique = "baseline";

/// The same cell with technique baseline: what savings are measured against.
Cell baseline_cell_of(const Cell& cell);

/// Whether an optional field is present. Suites choose none, so such a cell is in no suite.
bool has_parameters(const Cell& cell);

/// The device's kind: "cuda", "sim" or "cpu".
std::string device_kind(std::string_view device);

}  // namespace highwater
