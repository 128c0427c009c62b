#include "harness/export/trace_file.hpp"

#include "harness/export/json_text.hpp"

namespace highwater {

using Json = nlohmann::ordered_json;

Json TraceFile::event(const char* kind, const std::string& name, std::int64_t time) const {
  return {{"ph", kind}, {"name", name}, {"pid", process_}, {"tid", 0}, {"ts", time}};
}

void TraceFile::begin_process(const std::string& name) {
  ++process_;
  Json json = event("M", "process_name", 0);
  json["args"] = {{"name", name}};
  events_.push_back(std::move(json));
}

void TraceFile::add_span(const std::string& name, std::int64_t begin, std::int64_t duration,
                         Json args) {
  Json json = event("X", name, begin);
  json["dur"] = duration;
  json["args"] = std::move(args);
  events_.push_back(std::move(json));
}

void TraceFile::add_counter(const std::string& name, std::int64_t time, Bytes bytes) {
  Json json = event("C", name, time);
  json["args"] = {{"bytes", bytes}};
  events_.push_back(std::move(json));
}

std::string TraceFile::text(Json facts) const {
  return json_line(
      {{"displayTimeUnit", "ms"}, {"otherData", std::move(facts)}, {"traceEvents", events_}});
}

}  // namespace highwater
