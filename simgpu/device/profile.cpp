#include "simgpu/device/profile.hpp"

#include "simgpu/device/config.hpp"
#include "simgpu/device/embedded_image.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

Profile load_process_profile() {
  const Config& settings = config();
  if (settings.profile_path.empty())
    throw ConfigError(
        "there is a simulated device but SIMGPU_PROFILE names no profile; set it to a file such "
        "as simgpu/profiles/h200.json, or set SIMGPU_DEVICES=0.");
  Profile profile = load_profile(settings.profile_path);
  require_image_for(profile);
  if (settings.capacity_bytes) profile.total_memory_bytes = *settings.capacity_bytes;
  return profile;
}

}  // namespace

const Profile& profile() {
  static const Profile& instance = *new Profile(or_stop(load_process_profile));
  return instance;
}

}  // namespace simgpu
