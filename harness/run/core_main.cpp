#include <unistd.h>

#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/run/catalog_export.hpp"
#include "harness/run/cell_runner.hpp"
#include "harness/run/device_probe.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/event_pass.hpp"
#include "harness/run/inspect_pass.hpp"
#include "harness/run/rate_pass.hpp"
#include "harness/run/request.hpp"

namespace highwater {
namespace {

nlohmann::json answer(const CellRequest& request) {
  if (request.command == "catalog") return export_catalog();
  if (request.command == "describe") return DeviceSession(request.cell.device).testbed();
  if (request.command == "probe") return probe_device(request.cell.device);
  if (request.command == "measure") return run_cell(request.cell, request.protocol);
  if (request.command == "events") return record_events(request.cell, request.protocol);
  if (request.command == "inspect") return inspect_cell(request.cell, request.protocol);
  if (request.command == "rates") return measure_rates(request.cell.device);
  throw UsageError("the core knows no command \"" + request.command +
                   "\"; valid: catalog, describe, probe, measure, events, inspect, rates");
}

void write_line(int descriptor, const std::string& line) {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(descriptor, line.data() + done, line.size() - done);
    if (written < 0) throw InternalError("the answer could not be written: the parent is gone");
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace
}  // namespace highwater

extern "C" void HIGHWATER_PLUGIN_ABI() {}

/// Entry of the core library: one request from standard input, one answer to `result_descriptor`.
/// Returns an exit status; errors go to standard error.
extern "C" int highwater_core_main(int result_descriptor) {
  using namespace highwater;
  try {
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    const auto request = nlohmann::json::parse(text).get<CellRequest>();
    write_line(result_descriptor, answer(request).dump() + "\n");
    return to_int(ExitCode::ok);
  } catch (const Error& error) {
    std::cerr << error.what() << std::endl;
    return to_int(error.code());
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return to_int(ExitCode::internal);
  }
}
