#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace highwater {

/// What the Torch side knows about itself, as data. It is written once at build time by the core
/// library, so that listing, selecting and explaining cells need neither Torch nor CUDA.

struct ModelEntry {
  std::string name;
  std::string summary;
  std::vector<std::string> tags;
  std::vector<std::string> presets;  ///< e.g. "full", "twin"
  /// Abilities a device must have: "convolution", ...
  std::vector<std::string> needs;
  /// What techniques can take hold of in it: "attention", "relu", ...
  std::vector<std::string> abilities;
};

/// A number that a technique takes, as in "gradient_accumulation:8".
struct ParameterEntry {
  std::string name;  ///< empty: the technique takes none
  std::string meaning;
  std::int64_t value = 0;     ///< what the bare name of the technique means
  std::int64_t smallest = 0;  ///< that it takes
};

struct TechniqueEntry {
  std::string name;
  std::string summary;
  std::string relieves;  ///< phase or category it is meant to relieve, "" for baseline
  std::string scenario;  ///< preset in which that is the peak: "full" or "small"
  std::string when;      ///< when to reach for it
  std::string cost;      ///< what it costs beside bytes
  std::string numerics;  ///< "bit_equal", "tolerance", "different_by_design", "diverges"
  double tolerance = 0;  ///< of "tolerance": largest relative L2 difference of a gradient
  bool leaks = false;    ///< an anti-pattern: a run of it that does not leak is wrong
  std::string source;    ///< where the advice comes from
  std::vector<std::string> tags;
  std::vector<std::string> edits;     ///< StepPlan fields it changes; two edits of one field clash
  std::vector<std::string> excludes;  ///< techniques it does not combine with
  std::vector<std::string> needs;     ///< abilities of a model that it takes hold of
  ParameterEntry parameter;
  std::string not_on_cpu;  ///< why it does nothing on the cpu; "" where it does
};

struct Catalog {
  std::vector<ModelEntry> models;          ///< sorted by name
  std::vector<TechniqueEntry> techniques;  ///< "baseline" first, then sorted by name
};

void to_json(nlohmann::json& json, const Catalog& catalog);
void from_json(const nlohmann::json& json, Catalog& catalog);

/// Reads the file written at build time.
/// @throws UsageError naming the file and how to build it.
Catalog read_catalog(const std::string& path);

/// @throws UsageError with the nearest valid names.
const ModelEntry& find_model(const Catalog& catalog, const std::string& name);
const TechniqueEntry& find_technique(const Catalog& catalog, const std::string& name);

}  // namespace highwater
