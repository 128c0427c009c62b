#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// What the user asked of the simulated GPU, as flags of `highwater exec`. Empty = not asked.
struct ExecSettings {
  std::string device;    ///< "sim:<profile>" or the path of a profile
  std::string capacity;  ///< size, see parse_bytes
  int devices = 1;
  std::string order;          ///< falling, rising, random:SEED
  std::string reads;          ///< zeros, ones, or a file
  std::string log;            ///< file for the kernel log
  std::string cudnn;          ///< folder of the real cuDNN
  std::string unknown_sizes;  ///< low or high
  std::optional<int> world;
  std::optional<int> rank;
};

/// The profile file of a device. @throws UsageError with the nearest names.
std::filesystem::path find_profile(const std::string& device,
                                   const std::filesystem::path& profiles);

/// The folder of a cuDNN for this torch: the one beside it, where pip puts it, else the one of
/// scripts/install_cudnn.sh, which is for the CUDA whose stand-ins are libcudart.so.13. Empty where
/// there is none.
std::string find_cudnn(const std::filesystem::path& torch, const std::filesystem::path& standins);

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The settings as libsimgpu reads them (simgpu/README.md), in the order of its table.
/// @throws UsageError naming the flag, where a value is wrong: also a capacity that the driver's
/// own context would fill, and files that are not there or cannot be written.
Environment simgpu_environment(const ExecSettings& settings, const std::filesystem::path& profile);

/// Every SIMGPU variable that the flags decide, so that none is inherited from elsewhere.
std::vector<std::string> decided_variables();

}  // namespace highwater
