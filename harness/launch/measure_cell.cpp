#include <array>

#include "harness/core/error.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

CellReply ask(const char* what, const Cell& cell, const Protocol& protocol,
              const InstallPaths& paths, const std::atomic<bool>& stop) {
  const nlohmann::json request = CellRequest{what, cell, protocol};
  return run_command(cell_command(cell, paths), request.dump() + "\n",
                     std::chrono::seconds(protocol.timeout_seconds), stop);
}

CellOutcome unanswered(OutcomeKind kind, const std::string& reason) {
  CellOutcome outcome;
  outcome.kind = kind;
  outcome.reason = reason;
  return outcome;
}

void check_metrics(const CellOutcome& outcome) {
  for (const auto& [id, value] : outcome.metrics) {
    if (find_metric(id) == nullptr) throw UsageError("unknown metric \"" + id + "\"");
  }
}

CellOutcome outcome_of(const CellReply& reply) {
  if (reply.ending == Ending::timed_out) return unanswered(OutcomeKind::timed_out, reply.reason);
  if (reply.ending != Ending::answered) return unanswered(OutcomeKind::failed, reply.reason);
  try {
    auto outcome = nlohmann::json::parse(reply.answer).get<CellOutcome>();
    check_metrics(outcome);
    return outcome;
  } catch (const std::exception& error) {
    return unanswered(OutcomeKind::failed,
                      std::string("its answer cannot be read: ") + error.what());
  }
}

}  // namespace

MeasuredCell measure_cell(const Cell& cell, const Protocol& protocol, const InstallPaths& paths,
                          const std::atomic<bool>& stop) {
  CellReply reply = ask("measure", cell, protocol, paths, stop);
  return {.outcome = outcome_of(reply),
          .interrupted = reply.ending == Ending::interrupted,
          .log = std::move(reply.log),
          .wall = reply.wall};
}

Testbed describe_device(const std::string& device, const Protocol& protocol,
                        const InstallPaths& paths, const std::atomic<bool>& stop) {
  Cell cell;
  cell.device = device;
  const CellReply reply = ask("describe", cell, protocol, paths, stop);
  const std::string what = "device " + device + " is not usable here: ";
  if (reply.ending == Ending::interrupted) throw Error(ExitCode::interrupted, reply.reason);
  if (reply.ending != Ending::answered) throw Error(ExitCode::cell_error, what + reply.reason);
  try {
    return nlohmann::json::parse(reply.answer).get<Testbed>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::cell_error, what + "its answer cannot be read: " + error.what());
  }
}

}  // namespace highwater
