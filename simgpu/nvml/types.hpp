#pragma once

#include "simgpu/device/export.hpp"

/// The part of NVML's C interface that is answered, declared from its documentation
/// (https://docs.nvidia.com/deploy/nvml-api/): its header is not in the wheels this is built from.
/// Enumerations are C ints. A program that looks up a name which is not here finds none, which NVML
/// documents as the sign of an older driver.
namespace simgpu::nvml {

enum Result : int {
  success = 0,
  invalid_argument = 2,
  not_supported = 3,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
};

/// nvmlDevice_t: the ordinal plus one.
using Device = struct DeviceHandle*;

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct ProcessV1 {
  unsigned pid;
  unsigned long long used_memory;
};

/// Also the third version's.
struct ProcessV2 {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_and_vendor_id;
  unsigned subsystem_id;
  char bus_id[32];
};

}  // namespace simgpu::nvml
