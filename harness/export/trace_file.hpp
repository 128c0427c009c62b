#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/core/bytes.hpp"

namespace highwater {

/// A file in the Trace Event Format that chrome://tracing and ui.perfetto.dev open, as a JSON
/// object (the format's document is linked from
/// github.com/catapult-project/catapult/blob/main/docs/trace-event-format.md). Times are in us.
class TraceFile {
 public:
  /// Later events belong to it.
  void begin_process(const std::string& name);
  /// "X": something that lasts. `args` is shown where it is clicked.
  void add_span(const std::string& name, std::int64_t begin, std::int64_t duration,
                nlohmann::ordered_json args);
  /// "C": a number that holds until the counter's next event. One series a counter, because a
  /// viewer draws several on top of each other.
  void add_counter(const std::string& name, std::int64_t time, Bytes bytes);

  /// The whole file. @param facts what a reader should know, shown as metadata.
  std::string text(nlohmann::ordered_json facts) const;

 private:
  nlohmann::ordered_json event(const char* kind, const std::string& name, std::int64_t time) const;

  std::size_t process_ = 0;
  nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

}  // namespace highwater
