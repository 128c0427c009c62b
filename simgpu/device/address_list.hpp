#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// The addresses that successive cudaMallocs answer, from the file that SIMGPU_ADDRESSES names: one
/// decimal number a line, each a multiple of `page_bytes`. Torch's allocator looks only at the
/// order of addresses and their distances, so the list is moved as a whole: its lowest address
/// becomes `base`. Addresses of a real card then never fall on memory of the host. Arithmetic only.
class SIMGPU_SHARED AddressList {
 public:
  /// Throws ConfigError where the file cannot be read, is empty, or holds a line that is no
  /// address.
  AddressList(const std::string& path, Address base);

  /// The next address. Throws ConfigError when the list is used up.
  Address take();

  /// For messages: which line of the file `take` answered last, from 1.
  std::size_t line() const { return taken_; }

 private:
  std::string path_;
  std::vector<Address> addresses_;
  std::size_t taken_ = 0;
};

}  // namespace simgpu
