/// Random programs through Torch's own allocator on a simulated GPU and through the oracle.

#include <cuda_runtime_api.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fidelity/allocator/comparison.hpp"
#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/program.hpp"
#include "fidelity/libtorch/torch_subject.hpp"

namespace {

using namespace highwater::oracle;

constexpr Bytes page = 2 * mib;
constexpr std::uint64_t enough_programs = 100;

struct Memory {
  std::size_t free = 0;
  std::size_t total = 0;
};

Memory device_memory() {
  Memory memory;
  if (cudaMemGetInfo(&memory.free, &memory.total) != cudaSuccess)
    throw std::runtime_error("there is no device");
  return memory;
}

/// Holds all of the device's memory but `left`.
class Ballast {
 public:
  explicit Ballast(Bytes left) {
    const Bytes bytes = left == unlimited ? 0 : (device_memory().free - left) / page * page;
    if (cudaMalloc(&pointer_, bytes) != cudaSuccess)
      throw std::runtime_error("the device does not have " + std::to_string(left) + " bytes");
  }
  ~Ballast() { cudaFree(pointer_); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

 private:
  void* pointer_ = nullptr;
};

struct Totals {
  std::size_t events = 0;
  std::map<std::string, std::size_t> actions;

  void add(const std::vector<std::vector<Event>>& recording) {
    for (const auto& step : recording) {
      events += step.size();
      for (const Event& event : step) ++actions[std::string(name_of(event.action))];
    }
  }
};

/// A thousand programs that never run out of memory, say, would prove less than they claim.
void demand_every_action(const Totals& totals) {
  for (const Action action : all_actions)
    if (!totals.actions.contains(std::string(name_of(action))))
      throw std::runtime_error("no program saw the event " + std::string(name_of(action)));
}

std::vector<Event> joined(const std::vector<std::vector<Event>>& steps) {
  std::vector<Event> all;
  for (const auto& step : steps) all.insert(all.end(), step.begin(), step.end());
  return all;
}

/// The first difference in words; empty if there is none.
std::string compare(const Program& program, Totals& totals) {
  const Bytes total = device_memory().total;
  const Ballast ballast(program.capacity_bytes);
  const Bytes capacity = device_memory().free / page * page;

  TorchSubject torch;
  torch.configure(program.settings);
  const auto streams = torch.streams(program.streams);
  const auto recording = record(program, torch, streams);
  totals.add(recording);

  OracleSubject oracle(joined(recording), {total, capacity}, program.settings);
  const auto departure = first_departure(program, oracle, streams, recording);
  if (!departure) return {};
  return "program " + std::to_string(program.seed) + ", step " + std::to_string(departure->step) +
         " (" + to_text(program.steps[departure->step]) + "), " + to_text(departure->difference) +
         "; settings " + to_configuration(program.settings) + ", " +
         std::to_string(program.capacity_bytes) + " bytes free";
}

struct Options {
  std::uint64_t first = 1;
  std::uint64_t count = 1000;
  std::string json;
};

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end)
    throw std::runtime_error("'" + text + "' is no whole number");
  return value;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; index += 2) {
    const std::string name = argv[index];
    const std::string value = index + 1 < argc ? argv[index + 1] : "";
    if (name == "--first")
      options.first = number(value);
    else if (name == "--count")
      options.count = number(value);
    else if (name == "--json")
      options.json = value;
    else
      throw std::runtime_error("usage: " + std::string(argv[0]) +
                               " [--first SEED] [--count N] [--json FILE]");
  }
  return options;
}

int run_all(const Options& options, const std::string& name) {
  Totals totals;
  std::string difference;
  std::uint64_t done = 0;
  for (; done < options.count && difference.empty(); ++done)
    difference = compare(random_program(options.first + done), totals);
  if (difference.empty() && done >= enough_programs) demand_every_action(totals);
  const nlohmann::json json = {
      {"programs", done},
      {"events", totals.events},
      {"actions", totals.actions},
      {"first_difference", difference.empty() ? nlohmann::json() : nlohmann::json(difference)},
      {"equal", difference.empty()}};
  std::cout << json.dump(2) << '\n';
  if (!options.json.empty() && !(std::ofstream(options.json) << json.dump(2) << '\n'))
    throw std::runtime_error(options.json + " cannot be written");
  if (difference.empty()) return 0;
  std::cerr << difference << "\nrun it again: " << name << " --first " << options.first + done - 1
            << " --count 1\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(read_options(argc, argv), argv[0]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
