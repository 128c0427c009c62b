#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace highwater {

/// How fast a device does one kind of work.
struct Rate {
  std::string operation;  ///< "gemm", "add", "copy", or "host_to_device", "device_to_host" and
  ///< their "_pinned" forms, which copy from and to page-locked memory
  std::string dtype;      ///< c10's name, e.g. "BFloat16"
  std::string shape;      ///< "m x n x k" of a product, the number of elements else
  std::int64_t work = 0;  ///< floating-point operations of a product, bytes read and written else
  std::int64_t nanoseconds = 0;      ///< of one operation: median over windows of a few each
  std::int64_t mad_nanoseconds = 0;  ///< median absolute deviation of the windows
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rate, operation, dtype, shape, work, nanoseconds,
                                   mad_nanoseconds)

}  // namespace highwater
