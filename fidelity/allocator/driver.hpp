#pragma once

#include <cstdint>
#include <optional>

#include "fidelity/allocator/event.hpp"

namespace highwater::oracle {

/// A point in a stream's work, as cudaEventRecord sets it.
struct Mark {
  Stream stream = 0;
  std::uint64_t number = 0;
};

/// What the allocator asks of the device. Addresses are answered, never computed: which ones a real
/// driver hands out is not published.
class Driver {
 public:
  virtual ~Driver() = default;

  /// cudaMalloc; nothing when the memory does not suffice.
  virtual std::optional<Address> allocate(Bytes bytes) = 0;
  virtual void free(Address address, Bytes bytes) = 0;

  /// cuMemAddressReserve for an expandable segment of `stream`, to be mapped `page` by `page`.
  virtual Address reserve(Stream stream, Bytes page) = 0;
  virtual void unreserve(Address address) = 0;
  /// How far an expandable segment may grow: 9/8 of the device's memory.
  virtual Bytes reservation_bytes() const = 0;

  /// cuMemCreate and cuMemMap; false, and nothing mapped, when the memory does not suffice.
  virtual bool map(Address address, Bytes bytes) = 0;
  virtual void unmap(Address address, Bytes bytes) = 0;

  /// Events: what was submitted to `stream` so far, whether it is done, and waiting until it is.
  virtual Mark record(Stream stream) = 0;
  virtual bool is_done(const Mark& mark) = 0;
  virtual void wait(const Mark& mark) = 0;
};

}  // namespace highwater::oracle
