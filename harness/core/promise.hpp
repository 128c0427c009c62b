#pragma once

#include <cstdint>
#include <string>

namespace highwater {

/// One thing that a technique promises on a cell: this metric lies at least so many bytes below its
/// value in the cell of technique `baseline` with the same model, preset, device and parameters.
struct Promise {
  std::string metric;
  std::int64_t minimum_saving_bytes = 0;
};

}  // namespace highwater
