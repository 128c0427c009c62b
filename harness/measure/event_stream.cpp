#include "harness/measure/event_stream.hpp"

#include <fmt/format.h>

namespace highwater {

std::string to_tsv(const std::vector<AllocatorEvent>& events) {
  std::string text = "action\taddr\tsize\tstream\twhere\n";
  for (const AllocatorEvent& event : events) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", event.action, event.address, event.size,
                        event.stream, event.op);
  }
  return text;
}

// An array, not an object: a stream holds tens of thousands.
void to_json(nlohmann::json& json, const AllocatorEvent& event) {
  json = {event.action, event.size, event.stream, event.address, event.op};
}

void from_json(const nlohmann::json& json, AllocatorEvent& event) {
  json.at(0).get_to(event.action);
  json.at(1).get_to(event.size);
  json.at(2).get_to(event.stream);
  json.at(3).get_to(event.address);
  json.at(4).get_to(event.op);
}

}  // namespace highwater
