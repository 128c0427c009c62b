#include "fidelity/allocator/trace.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

// The two tables of a trace, with an empty line between them.
bool takes(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find("\n\n"), bytes.size());
  const auto events = input_file("events.tsv", bytes.substr(0, end));
  const auto segments = input_file("segments.tsv", bytes.substr(std::min(end + 2, bytes.size())));
  try {
    const oracle::Trace trace = oracle::read_trace(events, segments);
    trace.start();
    oracle::calls_of(trace);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

const RegisterReader reader({"trace", &takes});

}  // namespace
}  // namespace highwater::fuzz
