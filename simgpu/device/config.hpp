#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// The order in which fresh addresses are handed out. The real driver's order is not known; Torch's
/// allocator breaks ties between equal free blocks by address, so reserved bytes can move with it
/// (by up to 0.9 % in the traces compared); requested bytes never do.
enum class AddressOrder { falling, rising, random };

/// When work counts as done; clock.hpp has the rules.
enum class EventTiming { at_once, queued, after_sync };

/// What a device-to-host read of bytes that are not known finds.
enum class ReadAnswer { zeros, ones, script };

/// Which end to answer where a size has only bounds without a device (see unknown_sizes.hpp).
enum class UnknownSizes { low, high };

/// The whole configuration. It comes from the environment alone, so child processes inherit it.
struct Config {
  /// SIMGPU_DEVICES: 0 to 64, default 1. With 0 every device query says "no device".
  int device_count = 1;
  /// SIMGPU_PROFILE: path of a profile; required when there is a device.
  std::string profile_path;
  /// SIMGPU_CAPACITY_BYTES: replaces the profile's total memory, in bytes.
  std::optional<std::int64_t> capacity_bytes;
  /// SIMGPU_ADDRESS_ORDER: falling (default), rising, or random:SEED.
  AddressOrder address_order = AddressOrder::falling;
  std::uint64_t address_seed = 0;
  /// SIMGPU_ADDRESSES: path of the addresses that successive cudaMallocs answer (address_list.hpp).
  std::string address_list_path;
  /// SIMGPU_KERNEL_LOG: path of the log of work (kernel_log.hpp); empty for none.
  std::string kernel_log_path;
  /// SIMGPU_EVENTS: at-once, queued (default) or after-sync.
  EventTiming event_timing = EventTiming::queued;
  /// SIMGPU_READS: zeros (default), ones, or the path of scripted answers (answers.hpp).
  ReadAnswer read_answer = ReadAnswer::zeros;
  std::string answers_path;
  /// SIMGPU_UNKNOWN_SIZES: low (default) or high.
  UnknownSizes unknown_sizes = UnknownSizes::low;
  /// SIMGPU_CUDNN_DIR: folder with NVIDIA's own libcudnn.so.9; empty when there is none. Looked
  /// into at the first cuDNN call.
  std::string cudnn_folder;
};

/// Reads the environment. Throws ConfigError for a value that is not as described above.
SIMGPU_SHARED Config read_config();

/// The configuration of this process: read at the first call, then fixed. A wrong value ends the
/// process with code 2 (`stop_misconfigured`); loading the libraries alone never does.
SIMGPU_SHARED const Config& config();

}  // namespace simgpu

/// Lets a program tell simulated from real libraries: dlsym(RTLD_DEFAULT, "simgpu_present") is null
/// where NVIDIA's own are loaded.
extern "C" SIMGPU_SHARED int simgpu_present();
