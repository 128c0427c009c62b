#include "fidelity/allocator/replay_program.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fidelity/allocator/replay.hpp"

namespace highwater::oracle {
namespace {

using Options = std::map<std::string, std::string>;

Options read_options(int argc, char** argv) {
  const std::string usage =
      "usage: " + std::string(argv[0]) + " --events FILE --segments FILE [--json FILE]";
  Options options{{"--events", ""}, {"--segments", ""}, {"--json", ""}};
  for (int index = 1; index < argc; index += 2) {
    const auto option = options.find(argv[index]);
    if (option == options.end() || index + 1 == argc) throw std::runtime_error(usage);
    option->second = argv[index + 1];
  }
  if (options["--events"].empty() || options["--segments"].empty()) throw std::runtime_error(usage);
  return options;
}

nlohmann::json to_json(const std::string& events, const Replay& replay, bool is_equal) {
  const auto& first = replay.comparison.first();
  return {{"events_file", events},
          {"events", replay.comparison.events()},
          {"mismatches", replay.comparison.mismatches()},
          {"allocations", replay.allocations},
          {"misplaced_allocations", replay.misplaced},
          {"end_state_equal", replay.is_end_equal},
          {"first_difference", first ? nlohmann::json(to_text(*first)) : nlohmann::json()},
          {"equal", is_equal}};
}

bool run(const Options& options, const MakeSubject& make) {
  const Trace trace = read_trace(options.at("--events"), options.at("--segments"));
  const auto subject = make(trace);
  const Replay result = replay(trace, *subject);
  const bool is_equal = result.comparison.mismatches() == 0 && result.is_end_equal;
  const auto json = to_json(options.at("--events"), result, is_equal);
  std::cout << json.dump(2) << '\n';
  if (const std::string& path = options.at("--json"); !path.empty())
    if (!(std::ofstream(path) << json.dump(2) << '\n'))
      throw std::runtime_error(path + " cannot be written");
  return is_equal;
}

}  // namespace

int run_replay_program(int argc, char** argv, const MakeSubject& make) {
  try {
    return run(read_options(argc, argv), make) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace highwater::oracle
