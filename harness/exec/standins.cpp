#include "harness/exec/standins.hpp"

#include <fmt/format.h>

#include <sstream>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/exec/child.hpp"
#include "harness/exec/program.hpp"

namespace highwater {

namespace fs = std::filesystem;

fs::path prepare_standins(const fs::path& torch, const fs::path& simgpu) {
  const fs::path python = find_program("python3");
  const std::string builder = (simgpu / "build_standins.py").string();
  const Captured answer =
      capture_output({python,
                      {python.string(), "-B", builder, "--torch", torch.string()},
                      {},
                      {"PYTHONPATH", "PYTHONHOME"}});
  const std::string folder = answer.output.substr(0, answer.output.find('\n'));
  if (answer.status == 0 && !folder.empty()) return folder;
  throw Error(answer.status == 1 ? ExitCode::internal : ExitCode::usage,
              fmt::format("there are no stand-in libraries for the torch in {}, so the program was "
                          "not started (see above)",
                          torch.string()));
}

std::string preload_list(const fs::path& standins, const std::string& others) {
  if (standins.string().find_first_of(" :") != std::string::npos) {
    throw UsageError(
        fmt::format("the folder {} has a blank or a colon in its name, which LD_PRELOAD "
                    "cannot hold; set HIGHWATER_CACHE to another folder",
                    standins.string()));
  }
  std::istringstream names(read_file(standins / "sonames.txt"));
  std::string list;
  for (std::string name; std::getline(names, name);) {
    if (!name.empty()) list += (list.empty() ? "" : ":") + (standins / name).string();
  }
  return others.empty() ? list : list + ":" + others;
}

}  // namespace highwater
