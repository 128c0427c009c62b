#include "harness/export/ctest_measurements.hpp"

#include <fmt/format.h>

namespace highwater {

std::string ctest_measurements(const CellRecord* record) {
  std::string text;
  if (record == nullptr) return text;
  for (const auto& [id, value] : record->outcome.metrics) {
    text += fmt::format(
        "<CTestMeasurement type=\"numeric/integer\" name=\"{}\">{}</CTestMeasurement>\n", id,
        value);
  }
  return text;
}

}  // namespace highwater
