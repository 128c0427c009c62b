#include "fidelity/allocator/oracle_subject.hpp"

namespace highwater::oracle {

OracleSubject::OracleSubject(const std::vector<Event>& recording, Device device,
                             const Settings& settings, const Rules& rules)
    : total_bytes_(device.total_bytes),
      driver_(recording, device),
      allocator_(driver_, settings, rules) {}

void OracleSubject::adopt(const Layout& layout) {
  for (const SegmentLayout& segment : layout) driver_.hold(segment.bytes);
  allocator_.adopt(layout);
}

void OracleSubject::allow(double fraction) {
  allocator_.allow(fraction < 1 ? static_cast<Bytes>(fraction * static_cast<double>(total_bytes_))
                                : unlimited);
}

}  // namespace highwater::oracle
