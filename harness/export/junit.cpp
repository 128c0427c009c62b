#include "harness/export/junit.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/export/markup.hpp"

namespace highwater {
namespace {

/// Element of a case that did not pass; empty where it did.
std::string_view result_element(VerdictKind kind) {
  if (kind == VerdictKind::failed) return "error";
  const ExitCode code = verdict_row(kind).code;
  if (code == ExitCode::skipped) return "skipped";
  return code == ExitCode::ok ? "" : "failure";
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, markup_text(value));
}

std::string property(std::string_view name, std::string_view value) {
  return "   <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

std::string properties(const CellOutcome& outcome) {
  std::string text;
  for (const auto& [metric, value] : outcome.metrics) {
    text += property(metric, std::to_string(value));
  }
  for (const auto& [metric, value] : outcome.high) {
    text += property(metric + "_high", std::to_string(value));
  }
  if (outcome.certainty) text += property("certainty", to_text(*outcome.certainty));
  for (const auto& [name, value] : outcome.attributes) text += property(name, value);
  return text.empty() ? "" : "  <properties>\n" + text + "  </properties>\n";
}

std::string result(const Verdict& verdict) {
  const std::string_view element = result_element(verdict.kind);
  if (element.empty()) return "";
  const std::string why = explanation(verdict);
  return fmt::format("  <{0}{1}{2}>{3}</{0}>\n", element, attribute("message", why),
                     attribute("type", verdict_row(verdict.kind).name), markup_text(why));
}

std::string test_case(const JudgedCell& cell, const std::string& suite) {
  return " <testcase" + attribute("name", cell.verdict->cell) +
         attribute("classname", "highwater." + suite) + ">\n" +
         (cell.record == nullptr ? "" : properties(cell.record->outcome)) + result(*cell.verdict) +
         " </testcase>\n";
}

std::string counts(std::span<const Verdict> verdicts, bool with_skipped) {
  std::map<std::string_view, std::size_t> by_element;
  for (const Verdict& verdict : verdicts) ++by_element[result_element(verdict.kind)];
  const auto count = [&](std::string_view name, std::string_view element) {
    return attribute(name, std::to_string(by_element[element]));
  };
  return attribute("tests", std::to_string(verdicts.size())) + count("failures", "failure") +
         count("errors", "error") + (with_skipped ? count("skipped", "skipped") : "");
}

}  // namespace

std::string junit_xml(const ExportInput& input) {
  const RunHeader& header = input.run.header;
  std::string cases;
  for (const JudgedCell& cell : judged_cells(input)) cases += test_case(cell, header.suite);
  // Jenkins' schema knows `skipped` of a suite, not of all of them.
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
         attribute("name", "highwater") + counts(input.verdicts, false) + ">\n<testsuite" +
         attribute("name", header.suite) + counts(input.verdicts, true) +
         attribute("timestamp", header.created) + ">\n" + cases + "</testsuite>\n</testsuites>\n";
}

}  // namespace highwater
