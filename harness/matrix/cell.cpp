#include "harness/matrix/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

[[noreturn]] void refuse_field(std::string_view field, std::string_view text,
                               std::string_view wanted) {
  throw UsageError(fmt::format("cell field {} cannot be \"{}\": {}", field, text, wanted));
}

void set_text(std::string& target, std::string_view field, std::string_view text) {
  const bool controls =
      std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 127; });
  if (text.empty() || controls || text.find('/') != std::string_view::npos) {
    refuse_field(field, text, "write a name without '/' and control characters");
  }
  target = text;
}

std::int64_t positive_integer(std::string_view field, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    refuse_field(field, text, "write a whole number of at least 1");
  }
  return number;
}

Bytes positive_bytes(std::string_view field, std::string_view text) {
  const Bytes bytes = parse_bytes(text);
  if (bytes < 1) refuse_field(field, text, "write at least one byte");
  return bytes;
}

template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? std::to_string(*value) : std::string();
}

const std::array kFields = {
    CellField{"model", "registered model", [](const Cell& c) { return c.model; },
              [](Cell& c, std::string_view t) { set_text(c.model, "model", t); }, false},
    CellField{"preset", "size of the model", [](const Cell& c) { return c.preset; },
              [](Cell& c, std::string_view t) { set_text(c.preset, "preset", t); }, false},
    CellField{"technique", "how a step is run", [](const Cell& c) { return c.technique; },
              [](Cell& c, std::string_view t) { set_text(c.technique, "technique", t); }, false},
    CellField{"device", "where it runs", [](const Cell& c) { return c.device; },
              [](Cell& c, std::string_view t) { set_text(c.device, "device", t); }, false},
    CellField{"batch", "samples a step", [](const Cell& c) { return text_of(c.batch); },
              [](Cell& c, std::string_view t) { c.batch = positive_integer("batch", t); }, true},
    CellField{
        "capacity", "device memory in bytes", [](const Cell& c) { return text_of(c.capacity); },
        [](Cell& c, std::string_view t) { c.capacity = positive_bytes("capacity", t); }, true},
};

const CellField* find_optional_field(std::string_view name) {
  for (const CellField& field : kFields) {
    if (field.optional && field.name == name) return &field;
  }
  return nullptr;
}

std::string_view take_part(std::string_view& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  return part;
}

[[noreturn]] void refuse_id(std::string_view id) {
  throw UsageError(
      fmt::format("\"{}\" is not a cell id: write model/preset/technique/device, then /batch=N or "
                  "/capacity=BYTES where given",
                  id));
}

void set_optional(Cell& cell, std::string_view part, std::string_view id) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) refuse_id(id);
  const CellField* field = find_optional_field(part.substr(0, equals));
  if (field == nullptr) refuse_id(id);
  field->set(cell, part.substr(equals + 1));
}

std::string json_text(const nlohmann::json& value, std::string_view name) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  refuse_field(name, value.dump(), "write text or a whole number");
}

}  // namespace

std::span<const CellField> cell_fields() { return kFields; }

std::string cell_id(const Cell& cell) {
  std::string id;
  for (const CellField& field : kFields) {
    const std::string value = field.get(cell);
    if (field.optional && value.empty()) continue;
    if (!id.empty()) id += '/';
    id += field.optional ? fmt::format("{}={}", field.name, value) : value;
  }
  return id;
}

std::string file_stem(const Cell& cell) {
  std::string name = cell_id(cell);
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, ':', '-');
  return name;
}

Cell parse_cell_id(std::string_view id) {
  Cell cell;
  std::string_view rest = id;
  for (const CellField& field : kFields) {
    if (field.optional) continue;
    const std::string_view part = take_part(rest);
    if (part.empty()) refuse_id(id);
    field.set(cell, part);
  }
  while (!rest.empty()) set_optional(cell, take_part(rest), id);
  if (cell_id(cell) != id) refuse_id(id);
  return cell;
}

void to_json(nlohmann::json& json, const Cell& cell) {
  json = nlohmann::json::object();
  for (const CellField& field : kFields) {
    const std::string value = field.get(cell);
    if (!field.optional) json[std::string(field.name)] = value;
    if (field.optional && !value.empty()) json[std::string(field.name)] = std::stoll(value);
  }
}

void from_json(const nlohmann::json& json, Cell& cell) {
  cell = Cell{};
  for (const CellField& field : kFields) {
    const auto found = json.find(std::string(field.name));
    if (found == json.end()) {
      if (!field.optional) throw UsageError(fmt::format("cell field {} is absent", field.name));
      continue;
    }
    // Empty where the field says nothing, as in a question about a device alone.
    const std::string text = json_text(*found, field.name);
    if (!text.empty()) field.set(cell, text);
  }
}

Cell baseline_cell_of(const Cell& cell) {
  Cell baseline = cell;
  baseline.technique = kBaselineTechnique;
  return baseline;
}

bool has_parameters(const Cell& cell) {
  return std::ranges::any_of(
      kFields, [&](const CellField& field) { return field.optional && !field.get(cell).empty(); });
}

std::string device_kind(std::string_view device) {
  return std::string(device.substr(0, device.find(':')));
}

}  // namespace highwater
