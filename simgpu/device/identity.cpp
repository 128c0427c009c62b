#include "simgpu/device/identity.hpp"

namespace simgpu {

std::array<char, 16> device_uuid(int ordinal) {
  return {'s', 'i', 'm', 'g', 'p', 'u', 0, 0, 0, 0, 0, 0, 0, 0, 0, static_cast<char>(ordinal)};
}

}  // namespace simgpu
