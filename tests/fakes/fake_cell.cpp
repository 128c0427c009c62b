// Plays highwater-cell in tests: the same command line and answers, no Torch. The model of the
// request decides what it does. FAKE_EXTRA_BYTES makes technique "save" of model "steady" need so
// much more. Model "drifting" grows with every measurement that the file FAKE_COUNTER counts, and
// its steps take FAKE_MILLISECONDS.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "harness/core/device_probe.hpp"
#include "harness/core/die_with_parent.hpp"
#include "harness/core/testbed.hpp"
#include "harness/measure/event_stream.hpp"
#include "harness/measure/inspection.hpp"
#include "harness/measure/rate.hpp"
#include "harness/run/outcome.hpp"
#include "harness/run/request.hpp"

namespace highwater {
namespace {

using namespace literals;

std::int64_t extra_bytes(const Cell& cell) {
  const char* extra = std::getenv("FAKE_EXTRA_BYTES");
  return extra != nullptr && cell.model == "steady" && cell.technique == "save" ? std::atoll(extra)
                                                                                : 0;
}

CellOutcome measured(const Cell& cell) {
  const std::int64_t peak = (cell.technique == "baseline" ? 100_MiB : 60_MiB) + extra_bytes(cell);
  CellOutcome outcome;
  outcome.kind = OutcomeKind::measured;
  outcome.certainty = cell.device == "cpu" ? Certainty::measured : Certainty::exact;
  outcome.metrics = {
      {"peak_allocated_bytes", peak}, {"peak_reserved_bytes", peak + 2_MiB}, {"leak_bytes", 0}};
  outcome.attributes = {{"peak_phase", "backward"}, {"steady", "true"}};
  if (cell.technique == "save") outcome.promises = {{"peak_allocated_bytes", 30_MiB}};
  if (cell.device == "cpu") {
    outcome.metrics["step_time_nanoseconds"] = 12'500'000;
    outcome.numerics = Numerics{"bit_equal", "all gradients equal", 0, 0, 2.5, 1.5};
  }
  return outcome;
}

CellOutcome with_metric(const Cell& cell, const std::string& metric, std::int64_t value) {
  CellOutcome outcome = measured(cell);
  outcome.metrics[metric] = value;
  return outcome;
}

// A process knows only the end that it was told to answer.
CellOutcome one_end(const Cell& cell) {
  CellOutcome outcome = measured(cell);
  outcome.certainty = Certainty::bounded;
  return outcome;
}

bool at_high_end() { return std::getenv("SIMGPU_UNKNOWN_SIZES") == std::string("high"); }

CellOutcome bounded(const Cell& cell) {
  CellOutcome outcome = one_end(cell);
  std::cerr << (at_high_end() ? "high end" : "low end") << std::endl;
  if (at_high_end()) outcome.metrics["peak_allocated_bytes"] += 4_MiB;
  return outcome;
}

CellOutcome unsteady(const Cell& cell) {
  CellOutcome outcome = measured(cell);
  outcome.attributes["steady"] = "false";
  return outcome;
}

CellOutcome out_of_memory(const Cell&) {
  CellOutcome outcome;
  outcome.kind = OutcomeKind::out_of_memory;
  outcome.reason = "wanted 2.00 GiB, free 1.00 GiB of 4.00 GiB";
  return outcome;
}

CellOutcome too_large_at_the_high_end(const Cell& cell) {
  return at_high_end() ? out_of_memory(cell) : one_end(cell);
}

[[noreturn]] void die_of(int signal) {
  std::cerr << "about to die\n" << std::flush;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();
}

// As simgpu/device/stop.cpp does.
[[noreturn]] void refuse() {
  std::cerr << "simgpu: a note on the way\nepoch 1\nsimgpu: cudnnRNNForward is not known here.\n"
            << "simgpu: avoid it.\n"
            << std::flush;
  std::abort();
}

// A child of the cell that holds all its descriptors must not outlive it either.
[[noreturn]] void hang() {
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child > 0) std::cerr << "grandchild " << child << std::endl;
  for (;;) ::pause();
}

// Writes for ever.
[[noreturn]] void flood(int descriptor) {
  const std::string block(65536, 'x');
  while (::write(descriptor, block.data(), block.size()) >= 0) continue;
  std::_Exit(0);
}

CellOutcome talkative(const Cell& cell) {
  CellOutcome outcome = measured(cell);
  outcome.reason = std::string(17 << 20, 'x');
  return outcome;
}

CellOutcome print_environment(const Cell& cell) {
  for (char** entry = ::environ; *entry != nullptr; ++entry) std::cout << *entry << "\n";
  std::cout << std::flush;
  return measured(cell);
}

CellOutcome noisy(const Cell& cell) {
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) std::cerr << line << "\n";
  std::cout << line << std::flush;
  return measured(cell);
}

// Alone, as most cells are, unlike hang().
[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

std::int64_t times_counted() {
  const char* path = std::getenv("FAKE_COUNTER");
  std::ofstream counter(path == nullptr ? "" : path, std::ios::app);
  counter << '.';
  return counter.tellp();
}

CellOutcome drifting(const Cell& cell) {
  const std::int64_t before = times_counted() - 1;
  CellOutcome outcome =
      with_metric(cell, "step_time_nanoseconds",
                  std::atoll(std::getenv("FAKE_MILLISECONDS")) * 1'000'000 + before);
  outcome.metrics["peak_allocated_bytes"] += 512 * before;
  return outcome;
}

CellOutcome slow(const Cell& cell) {
  ::usleep(300'000);
  return measured(cell);
}

[[noreturn]] void complain() {
  std::cerr << "no such thing as a free lunch\n\n  \n" << std::flush;
  std::_Exit(3);
}

// Which descriptors are open here beyond the three standard ones and the result's.
CellOutcome count_descriptors(const Cell& cell) {
  int open = 0;
  for (int i = 4; i < 256; ++i) open += ::dup2(i, i) == i ? 1 : 0;
  return with_metric(cell, "alloc_retries", open);
}

const std::map<std::string, std::function<CellOutcome(const Cell&)>> kModels = {
    {"steady", measured},
    {"vision", measured},
    {"slow", slow},
    {"drifting", drifting},
    {"noisy", noisy},
    {"descriptors", count_descriptors},
    {"environment", print_environment},
    {"flood", [](const Cell&) -> CellOutcome { flood(STDERR_FILENO); }},
    {"unsteady", unsteady},
    {"bounded", bounded},
    {"settled", one_end},
    {"tight", too_large_at_the_high_end},
    {"refused", [](const Cell&) -> CellOutcome { refuse(); }},
    {"talkative", talkative},
    {"no_peak", [](const Cell& cell) { return with_metric(cell, "peak_allocated_bytes", 0); }},
    {"negative", [](const Cell& cell) { return with_metric(cell, "parameters_bytes", -1); }},
    {"leaky", [](const Cell& cell) { return with_metric(cell, "leak_bytes", 4096); }},
    {"unknown_metric", [](const Cell& cell) { return with_metric(cell, "mood", 1); }},
    {"oom", out_of_memory},
    {"crash", [](const Cell&) -> CellOutcome { die_of(SIGSEGV); }},
    {"killed", [](const Cell&) -> CellOutcome { die_of(SIGKILL); }},
    {"hang", [](const Cell&) -> CellOutcome { hang(); }},
    {"waits", [](const Cell&) -> CellOutcome { wait_for_ever(); }},
    {"exit3", [](const Cell&) -> CellOutcome { complain(); }},
    {"silent", [](const Cell&) -> CellOutcome { std::_Exit(0); }},
};

EventStream fake_stream() {
  return {
      .events = {{"segment_alloc", 2097152, 0, 0x1000, "aten::empty"},
                 {"alloc", 100, 0, 0x1000, "aten::empty", "block.0", "forward", 1}},
      .driver = {.total = 100, .free_with_context = 90, .free_at_end = 80},
      .segments = {{0x1000,
                    2097152,
                    0,
                    false,
                    false,
                    {{0x1000, 512, 100, "active_allocated"}, {0x1200, 2096640, 0, "inactive"}}}}};
}

Inspection fake_inspection() {
  return {.certainty = "exact",
          .peak_phase = "forward",
          .peak_bytes = 8_MiB,
          .rest_bytes = 4_MiB,
          .phases = {{"forward", 8_MiB}},
          .parts = {{"block.0", "saved_activations", 8_MiB, 1}},
          .largest = {},
          .allocator = {},
          .fragmentation = {}};
}

nlohmann::json answer(const CellRequest& request) {
  if (request.command == "describe") {
    if (request.cell.device == "cuda") complain();
    std::string id = request.cell.device + "-fake1";
    std::ranges::replace(id, ':', '-');
    return Testbed{id, {{"device", request.cell.device}, {"torch", "0.0.1"}}};
  }
  if (request.command == "rates") return std::vector<Rate>{{.operation = "gemm", .work = 2}};
  if (request.command == "probe") {
    if (request.cell.device == "cuda") complain();
    return DeviceProbe{{{"a fake", "9.0", 1_GiB, 1}}, {{"name", "a fake"}}, {{"deviceVer", 900}}};
  }
  CellOutcome outcome = kModels.at(request.cell.model)(request.cell);
  if (request.command == "events") return fake_stream();
  if (request.command == "inspect") return fake_inspection();
  return outcome;
}

void send(int descriptor, const std::string& text) {
  if (::write(descriptor, text.data(), text.size()) < 0) std::_Exit(1);
}

int serve(int descriptor) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto request = nlohmann::json::parse(text).get<CellRequest>();
  const bool garbage = request.command == "measure" && request.cell.model == "garbage";
  send(descriptor, garbage ? "not json\n" : answer(request).dump() + "\n");
  return 0;
}

}  // namespace
}  // namespace highwater

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == std::string_view("--parent")) highwater::die_with_parent(std::atoi(argv[i + 1]));
  }
  const std::string descriptor = argc > 1 ? argv[argc - 1] : "1";
  return highwater::serve(std::stoi(descriptor));
}
