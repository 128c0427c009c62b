#pragma once

#include <map>
#include <vector>

#include "fidelity/allocator/driver.hpp"
#include "fidelity/allocator/settings.hpp"
#include "fidelity/allocator/stream_clocks.hpp"

namespace highwater::oracle {

struct Device {
  Bytes total_bytes = unlimited;     ///< what device properties tell
  Bytes capacity_bytes = unlimited;  ///< what cudaMalloc and cuMemCreate give, in pages of 2 MiB
};

/// Answers with the addresses of a recording, in order. A request that the recording does not hold
/// gets an address above every real one, which no recording can agree with.
class RecordedDriver : public Driver {
 public:
  explicit RecordedDriver(const std::vector<Event>& recording, Device device = {});

  /// Counts a block that was allocated before the recording.
  void hold(Bytes bytes) { used_ += bytes; }

  std::optional<Address> allocate(Bytes bytes) override;
  void free(Address address, Bytes bytes) override;
  Address reserve(Stream stream, Bytes page) override;
  void unreserve(Address address) override;
  Bytes reservation_bytes() const override { return device_.total_bytes + device_.total_bytes / 8; }
  bool map(Address address, Bytes bytes) override;
  void unmap(Address address, Bytes bytes) override;
  Mark record(Stream stream) override { return clocks_.record(stream); }
  bool is_done(const Mark& mark) override { return clocks_.is_done(mark); }
  void wait(const Mark& mark) override { clocks_.wait(mark); }

  StreamClocks& clocks() { return clocks_; }

 private:
  bool charge(Bytes bytes);
  bool is_reserved(Address address) const;
  Address invented(Bytes bytes);

  Device device_;
  std::vector<Event> allocations_;  // not yet answered, oldest first
  std::vector<Event> mappings_;
  std::map<Address, Bytes> reserved_;
  Bytes used_ = 0;
  Address next_invented_;
  StreamClocks clocks_;
};

}  // namespace highwater::oracle
