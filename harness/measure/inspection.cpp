#include "harness/measure/inspection.hpp"

namespace highwater {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryPart, module, category, bytes, blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LiveBlock, bytes, category, module, op, born)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PhasePeak, phase, peak_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllocatorStat, current, peak, allocated, freed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllocatorSummary, device, out_of_memory, retries, stats)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fragmentation, reserved_at_peak_bytes, unused_at_peak_bytes,
                                   reserved_at_rest_bytes, unused_at_rest_bytes,
                                   pinned_at_rest_bytes, largest_unused_bytes, unused_blocks,
                                   segments)

namespace {

template <typename T>
nlohmann::json json_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

template <typename T>
std::optional<T> value_or_absent(const nlohmann::json& json) {
  return json.is_null() ? std::optional<T>() : json.get<T>();
}

}  // namespace

void to_json(nlohmann::json& json, const Inspection& inspection) {
  json = {{"certainty", inspection.certainty},
          {"peak_phase", inspection.peak_phase},
          {"peak_bytes", inspection.peak_bytes},
          {"rest_bytes", inspection.rest_bytes},
          {"phases", inspection.phases},
          {"parts", inspection.parts},
          {"largest", inspection.largest},
          {"allocator", json_or_null(inspection.allocator)},
          {"fragmentation", json_or_null(inspection.fragmentation)}};
}

void from_json(const nlohmann::json& json, Inspection& inspection) {
  json.at("certainty").get_to(inspection.certainty);
  json.at("peak_phase").get_to(inspection.peak_phase);
  json.at("peak_bytes").get_to(inspection.peak_bytes);
  json.at("rest_bytes").get_to(inspection.rest_bytes);
  json.at("phases").get_to(inspection.phases);
  json.at("parts").get_to(inspection.parts);
  json.at("largest").get_to(inspection.largest);
  inspection.allocator = value_or_absent<AllocatorSummary>(json.at("allocator"));
  inspection.fragmentation = value_or_absent<Fragmentation>(json.at("fragmentation"));
}

}  // namespace highwater
