#include "harness/doctor/profiles.hpp"
#include "simgpu/device/profile.hpp"
#include "simgpu/device/stop.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

// Two programs read it: the simulated GPU, and the list of devices, which shows what it cannot
// read.
bool takes(std::string_view bytes) {
  const auto path = input_file("profiles/card.json", bytes);
  simulated_devices(path.parent_path());
  try {
    simgpu::load_profile(path.string());
    return true;
  } catch (const simgpu::ConfigError&) {
    return false;
  }
}

const RegisterReader reader({"profile", &takes});

}  // namespace
}  // namespace highwater::fuzz
