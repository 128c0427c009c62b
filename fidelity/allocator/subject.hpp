#pragma once

#include "fidelity/allocator/layout.hpp"

namespace highwater::oracle {

/// An allocator to be compared: the oracle, or Torch's own.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::optional<Address> allocate(Bytes bytes, Stream stream) = 0;
  virtual void free(Address address) = 0;
  virtual void use(Address address, Stream stream) = 0;
  virtual void empty_cache() = 0;
  /// All work of `stream` is done.
  virtual void finish(Stream stream) = 0;
  /// setMemoryFraction, of the device's total memory; 1 is no limit.
  virtual void allow(double fraction) = 0;
  virtual std::vector<Event> take_events() = 0;
  virtual Layout layout() = 0;
};

}  // namespace highwater::oracle
