#pragma once

#include "fidelity/allocator/allocator.hpp"
#include "fidelity/allocator/recorded_driver.hpp"
#include "fidelity/allocator/subject.hpp"

namespace highwater::oracle {

/// The oracle over a recording.
class OracleSubject : public Subject {
 public:
  OracleSubject(const std::vector<Event>& recording, Device device, const Settings& settings,
                const Rules& rules = {});

  void adopt(const Layout& layout);

  std::optional<Address> allocate(Bytes bytes, Stream stream) override {
    return allocator_.allocate(bytes, stream);
  }
  void free(Address address) override { allocator_.free(address); }
  void use(Address address, Stream stream) override { allocator_.use(address, stream); }
  void empty_cache() override { allocator_.empty_cache(); }
  void finish(Stream stream) override { driver_.clocks().finish(stream); }
  void allow(double fraction) override;
  std::vector<Event> take_events() override { return allocator_.take_events(); }
  Layout layout() override { return allocator_.layout(); }

 private:
  Bytes total_bytes_;
  RecordedDriver driver_;
  Allocator allocator_;
};

}  // namespace highwater::oracle
