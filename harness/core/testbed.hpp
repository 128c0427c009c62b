#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace highwater {

/// What must be equal for two numbers to be comparable.
struct Testbed {
  /// Folder-safe key under which baselines are kept, e.g.
  /// "sim-h200-143156mib-sm9.0x132-torch2.11.0-cu130".
  std::string id;
  /// Everything recorded about it, sorted by name: device, capacity_bytes, compute_capability,
  /// torch, cuda, allocator_config, attention, threads, ...
  std::map<std::string, std::string> facts;

  bool operator==(const Testbed&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Testbed, id, facts)

}  // namespace highwater
