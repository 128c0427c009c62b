#include "simgpu/device/profile.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "simgpu/device/config.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

using nlohmann::json;

constexpr ProfileField fields[] = {
    {"total_memory_bytes", &Profile::total_memory_bytes, 1},
    {"context_bytes", &Profile::context_bytes, 0},
    {"compute_capability_major", &Profile::compute_capability_major, 1},
    {"compute_capability_minor", &Profile::compute_capability_minor, 0},
    {"multiprocessor_count", &Profile::multiprocessor_count, 1},
    {"max_threads_per_multiprocessor", &Profile::max_threads_per_multiprocessor, 1},
    {"max_blocks_per_multiprocessor", &Profile::max_blocks_per_multiprocessor, 1},
    {"registers_per_multiprocessor", &Profile::registers_per_multiprocessor, 1},
    {"registers_per_block", &Profile::registers_per_block, 1},
    {"shared_memory_per_block_bytes", &Profile::shared_memory_per_block_bytes, 1},
    {"shared_memory_per_block_optin_bytes", &Profile::shared_memory_per_block_optin_bytes, 1},
    {"shared_memory_per_multiprocessor_bytes", &Profile::shared_memory_per_multiprocessor_bytes, 1},
    {"reserved_shared_memory_per_block_bytes", &Profile::reserved_shared_memory_per_block_bytes, 0},
    {"l2_cache_bytes", &Profile::l2_cache_bytes, 1},
    {"persisting_l2_cache_max_bytes", &Profile::persisting_l2_cache_max_bytes, 0},
    {"access_policy_window_max_bytes", &Profile::access_policy_window_max_bytes, 0},
    {"clock_rate_khz", &Profile::clock_rate_khz, 1},
    {"memory_clock_rate_khz", &Profile::memory_clock_rate_khz, 1},
    {"memory_bus_width_bits", &Profile::memory_bus_width_bits, 1},
    {"async_engine_count", &Profile::async_engine_count, 0},
    {"single_to_double_performance_ratio", &Profile::single_to_double_performance_ratio, 1},
    {"memory_sync_domain_count", &Profile::memory_sync_domain_count, 1},
    {"ecc_enabled", &Profile::ecc_enabled, 0},
    {"cluster_launch", &Profile::cluster_launch, 0},
    {"tensor_map_access", &Profile::tensor_map_access, 0},
    {"gpu_direct_rdma", &Profile::gpu_direct_rdma, 0},
    {"peer_access", &Profile::peer_access, 0},
};

/// The file with the name it has in messages.
struct Document {
  std::string path;
  json root;

  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError("the profile " + path + " " + what + ".");
  }

  const json& at(const std::string& key) const {
    if (!root.contains(key)) refuse("lacks the key '" + key + "'");
    return root[key];
  }

  std::string text(const std::string& key) const {
    if (!at(key).is_string()) refuse("has no text under the key '" + key + "'");
    return at(key).get<std::string>();
  }

  std::int64_t integer(const ProfileField& field) const {
    const json& value = at(field.key);
    if (!value.is_number_integer())
      refuse("has no whole number under the key '" + std::string(field.key) + "'");
    if (value.get<std::int64_t>() < field.minimum)
      refuse("has a value below " + std::to_string(field.minimum) + " under the key '" + field.key +
             "'");
    return value.get<std::int64_t>();
  }

  std::vector<std::string> texts(const std::string& key) const {
    const json& list = at(key);
    const auto is_text = [](const json& item) { return item.is_string(); };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_text))
      refuse("has no list of texts under the key '" + key + "'");
    return list.get<std::vector<std::string>>();
  }
};

Document open_document(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ConfigError("the profile " + path + " (SIMGPU_PROFILE) cannot be opened.");
  Document document{path, json::parse(file, nullptr, /*allow_exceptions=*/false)};
  if (!document.root.is_object()) document.refuse("is not a JSON object");
  return document;
}

void refuse_unknown_keys(const Document& document) {
  const auto known = [](const std::string& key) {
    return key == "name" || key == "sources" || key == "notes" ||
           std::ranges::any_of(fields, [&](const ProfileField& field) { return key == field.key; });
  };
  for (const auto& item : document.root.items())
    if (!known(item.key())) document.refuse("has the unknown key '" + item.key() + "'");
}

Profile load_process_profile() {
  const Config& settings = config();
  if (settings.profile_path.empty())
    throw ConfigError(
        "there is a simulated device but SIMGPU_PROFILE names no profile; set it to a file such "
        "as simgpu/profiles/h200.json, or set SIMGPU_DEVICES=0.");
  Profile profile = load_profile(settings.profile_path);
  if (settings.capacity_bytes) profile.total_memory_bytes = *settings.capacity_bytes;
  return profile;
}

}  // namespace

std::span<const ProfileField> profile_fields() { return fields; }

Profile load_profile(const std::string& path) {
  const Document document = open_document(path);
  refuse_unknown_keys(document);
  Profile profile;
  profile.name = document.text("name");
  profile.sources = document.texts("sources");
  profile.notes = document.text("notes");
  for (const ProfileField& field : fields) profile.*field.member = document.integer(field);
  if (profile.total_memory_bytes <= profile.context_bytes)
    document.refuse("has 'context_bytes' not below 'total_memory_bytes'");
  return profile;
}

const Profile& profile() {
  static const Profile& instance = *new Profile(or_stop(load_process_profile));
  return instance;
}

}  // namespace simgpu
