#include "harness/measure/event_stream.hpp"

#include <fmt/format.h>

namespace highwater {

std::string to_tsv(const std::vector<AllocatorEvent>& events) {
  std::string text = "action\taddr\tsize\tstream\twhere\tmodule\tphase\tstep\n";
  for (const AllocatorEvent& event : events) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", event.action, event.address, event.size,
                        event.stream, event.op, event.module, event.phase, event.step);
  }
  return text;
}

// An array, not an object: a stream holds tens of thousands.
void to_json(nlohmann::json& json, const AllocatorEvent& event) {
  json = {event.action, event.size,   event.stream, event.address,
          event.op,     event.module, event.phase,  event.step};
}

void from_json(const nlohmann::json& json, AllocatorEvent& event) {
  json.at(0).get_to(event.action);
  json.at(1).get_to(event.size);
  json.at(2).get_to(event.stream);
  json.at(3).get_to(event.address);
  json.at(4).get_to(event.op);
  json.at(5).get_to(event.module);
  json.at(6).get_to(event.phase);
  json.at(7).get_to(event.step);
}

}  // namespace highwater
