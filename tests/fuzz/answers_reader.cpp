#include "simgpu/device/answers.hpp"

#include <array>

#include "simgpu/device/stop.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    simgpu::Answers answers(bytes, "answers");
    std::array<unsigned char, 16> read{};
    for (int i = 0; i < 3; ++i) answers.answer("aten::_local_scalar_dense", read);
    return true;
  } catch (const simgpu::ConfigError&) {
    return false;
  }
}

const RegisterReader reader({"answers", &takes});

}  // namespace
}  // namespace highwater::fuzz
