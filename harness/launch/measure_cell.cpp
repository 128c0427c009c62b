#include <functional>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/launch/join_ends.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

CellReply ask(const char* what, const Command& command, const Cell& cell, const Protocol& protocol,
              const std::atomic<bool>& stop) {
  const nlohmann::json request = CellRequest{what, cell, protocol};
  return run_command(command, request.dump() + "\n", std::chrono::seconds(protocol.timeout_seconds),
                     stop);
}

CellOutcome unanswered(OutcomeKind kind, const std::string& reason) {
  CellOutcome outcome;
  outcome.kind = kind;
  outcome.reason = reason;
  if (kind == OutcomeKind::refused) outcome.certainty = Certainty::refused;
  return outcome;
}

// A process that was asked for unknown sizes answers one end: the other end is not its to know.
bool is_one_end(const CellOutcome& outcome) { return outcome.certainty == Certainty::bounded; }

std::string fault_of_answer(CellOutcome outcome) {
  if (is_one_end(outcome)) outcome.certainty = Certainty::exact;
  return fault_of(outcome);
}

// What the reader of records would refuse must not get into them.
void check_outcome(const CellOutcome& outcome) {
  std::set<std::string> ids;
  for (const auto& [id, value] : outcome.metrics) ids.insert(id);
  for (const auto& [id, value] : outcome.prediction) ids.insert(id);
  for (const Promise& promise : outcome.promises) ids.insert(promise.metric);
  for (const std::string& id : ids) {
    if (find_metric(id) == nullptr) throw UsageError("unknown metric \"" + id + "\"");
  }
  if (const auto fault = fault_of_answer(outcome); !fault.empty()) throw UsageError(fault);
}

Testbed checked(Testbed testbed) {
  if (is_plain_name(testbed.id)) return testbed;
  throw UsageError("its testbed id \"" + testbed.id +
                   "\" may hold letters, digits and . _ + - only");
}

CellOutcome outcome_of(const CellReply& reply) {
  if (reply.ending == Ending::refused) return unanswered(OutcomeKind::refused, reply.reason);
  if (reply.ending == Ending::timed_out) return unanswered(OutcomeKind::timed_out, reply.reason);
  if (reply.ending != Ending::answered) return unanswered(OutcomeKind::failed, reply.reason);
  try {
    auto outcome = nlohmann::json::parse(reply.answer).get<CellOutcome>();
    check_outcome(outcome);
    return outcome;
  } catch (const std::exception& error) {
    return unanswered(OutcomeKind::failed,
                      std::string("its answer cannot be read: ") + error.what());
  }
}

MeasuredCell measure_end(const Command& command, const Cell& cell, const Protocol& protocol,
                         const std::atomic<bool>& stop) {
  CellReply reply = ask("measure", command, cell, protocol, stop);
  return {.outcome = outcome_of(reply),
          .interrupted = reply.ending == Ending::interrupted,
          .log = std::move(reply.log),
          .wall = reply.wall};
}

}  // namespace

MeasuredCell measure_cell(const Cell& cell, const Protocol& protocol, const InstallPaths& paths,
                          const std::atomic<bool>& stop) {
  MeasuredCell low = measure_end(cell_command(cell, paths), cell, protocol, stop);
  if (!is_one_end(low.outcome)) return low;
  MeasuredCell high = measure_end(high_end_command(cell, paths), cell, protocol, stop);
  return {.outcome = join_ends(std::move(low.outcome), std::move(high.outcome)),
          .interrupted = high.interrupted,
          .log = low.log + high.log,
          .wall = low.wall + high.wall};
}

nlohmann::json ask_cell(const char* what, const Cell& cell, const Protocol& protocol,
                        const InstallPaths& paths, const std::atomic<bool>& stop) {
  const CellReply reply = ask(what, cell_command(cell, paths), cell, protocol, stop);
  if (reply.ending == Ending::interrupted) throw Error(ExitCode::interrupted, reply.reason);
  if (reply.ending != Ending::answered) throw Error(ExitCode::cell_error, reply.reason);
  try {
    return nlohmann::json::parse(reply.answer);
  } catch (const std::exception& error) {
    throw Error(ExitCode::cell_error, std::string("its answer cannot be read: ") + error.what());
  }
}

namespace {

/// The answer to a question about a device, or its process's own words as an error.
template <class Answer, class Check>
Answer ask_device(const char* what, const std::string& device, const Protocol& protocol,
                  const InstallPaths& paths, const std::atomic<bool>& stop, Check check) {
  Cell cell;
  cell.device = device;
  const std::string unusable = "device " + device + " is not usable here: ";
  try {
    return check(ask_cell(what, cell, protocol, paths, stop).get<Answer>());
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    throw Error(ExitCode::cell_error, unusable + error.what());
  } catch (const std::exception& error) {
    throw Error(ExitCode::cell_error, unusable + "its answer cannot be read: " + error.what());
  }
}

}  // namespace

Testbed describe_device(const std::string& device, const Protocol& protocol,
                        const InstallPaths& paths, const std::atomic<bool>& stop) {
  return ask_device<Testbed>("describe", device, protocol, paths, stop, checked);
}

DeviceProbe probe_device(const std::string& device, const Protocol& protocol,
                         const InstallPaths& paths, const std::atomic<bool>& stop) {
  return ask_device<DeviceProbe>("probe", device, protocol, paths, stop, std::identity{});
}

}  // namespace highwater
