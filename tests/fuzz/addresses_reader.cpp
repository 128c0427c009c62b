#include "simgpu/device/address_list.hpp"
#include "simgpu/device/stop.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    simgpu::AddressList list(input_file("addresses.txt", bytes).string(), 1ULL << 40);
    list.take();
    return true;
  } catch (const simgpu::ConfigError&) {
    return false;
  }
}

const RegisterReader reader({"addresses", &takes});

}  // namespace
}  // namespace highwater::fuzz
