#pragma once

#include <cstdint>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// A span of addresses that belongs to the simulated devices and holds no memory.
struct Reservation {
  Address base = 0;
  std::uint64_t bytes = 0;
};

/// The process's reservation, made at the first call (PROT_NONE, no swap accounted) together with
/// the fault reporter (fault.hpp). 16 TiB where the system allows it, halved down to 64 GiB
/// otherwise: expandable segments reserve more than the whole device each. Stops the program if not
/// even that can be had. The base is fixed where free, so that addresses repeat between runs.
SIMGPU_SHARED const Reservation& reservation();

/// Whether `pointer` lies in the reservation. False before the reservation is made. Takes no lock.
SIMGPU_SHARED bool is_device_address(const void* pointer);

}  // namespace simgpu
