#include "harness/doctor/checks.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "harness/core/cudnn_folder.hpp"
#include "harness/core/error.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/matrix/device.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

Protocol patience() {
  Protocol protocol;
  protocol.timeout_seconds = 60;
  return protocol;
}

Finding path_exists(const fs::path& path) {
  return {fs::exists(path), path.string() + (fs::exists(path) ? "" : " does not exist")};
}

Finding look_processor(const Machine&, std::string_view wanted) {
  utsname names{};
  ::uname(&names);
  return {names.machine == wanted, std::string(names.sysname) + " on " + names.machine};
}

Finding look_launcher(const Machine& machine, std::string_view) {
  return path_exists(machine.paths.cell_program);
}

Finding look_core(const Machine& machine, std::string_view) {
  return path_exists(machine.paths.core_library);
}

Finding look_standins(const Machine& machine, std::string_view) {
  const fs::path& folder = machine.paths.standins;
  std::ifstream list(folder / "sonames.txt");
  if (!list) return path_exists(folder / "sonames.txt");
  int count = 0;
  for (std::string name; std::getline(list, name); ++count) {
    if (!fs::exists(folder / name)) return path_exists(folder / name);
  }
  return {true, std::to_string(count) + " libraries in " + folder.string()};
}

Finding look_device(const Machine& machine, std::string_view device) {
  try {
    const Testbed testbed =
        describe_device(std::string(device), patience(), machine.paths, *machine.stop);
    return {true, testbed.id};
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    return {false, error.what()};
  }
}

Finding look_program(const Machine&, std::string_view name) {
  const auto program = program_on_path(name);
  return {program.has_value(), program ? program->string() : std::string(name) + " is not on PATH"};
}

Finding look_driver(const Machine&, std::string_view) {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return {false, "no NVIDIA driver is loaded"};
  return {true, line};
}

Finding look_gpu(const Machine& machine, std::string_view device) {
  if (!nvidia_driver_present()) return {false, "none without a driver"};
  return look_device(machine, device);
}

/// Torch's libraries look for NVIDIA's in nvidia/ beside the torch folder.
Finding look_nvidia_libraries(const Machine& machine, std::string_view) {
  const auto given = environment_value("HIGHWATER_TORCH_DIR");
  const auto root = given ? fs::path(*given).parent_path()
                          : cached(machine.cache, "torch-", "torch").value_or(machine.cache);
  return path_exists(root / "nvidia");
}

Finding look_cudnn(const Machine&, std::string_view) {
  const fs::path folder = cudnn_folder();
  return {!folder.empty(), folder.empty() ? "none was set up" : folder.string()};
}

Finding look_matplotlib(const Machine& machine, std::string_view) {
  if (const auto python = environment_value("HIGHWATER_PYTHON")) return path_exists(*python);
  const auto folder = cached(machine.cache, "python-matplotlib-", "bin/python");
  return {folder.has_value(), folder ? (*folder / "bin/python").string() : "none in the cache"};
}

Finding look_cache(const Machine& machine, std::string_view) {
  if (!fs::exists(machine.cache)) return path_exists(machine.cache);
  return {true, machine.cache.string() + ", " + format_bytes(folder_bytes(machine.cache))};
}

constexpr std::string_view kBuild =
    "run scripts/setup.sh, then cmake --preset dev && cmake --build --preset dev";
constexpr std::string_view kTools = "run scripts/setup.sh, or install the package";

constexpr std::array kChecks = {
    Check{"machine", true, "LibTorch's wheel is built for it", "use an x86-64 Linux machine",
          &look_processor, "x86_64"},
    Check{"cell launcher", true, "starts each cell", kBuild, &look_launcher},
    Check{"core library", true, "models and techniques on LibTorch", kBuild, &look_core},
    Check{"stand-ins", true, "the simulated GPU's libraries", kBuild, &look_standins},
    Check{"simulated GPU", true, "answers as a card would", "see what the process said",
          &look_device, "sim:h200"},
    Check{"g++", false, "builds stand-ins for another Torch", kTools, &look_program, "g++"},
    Check{"cmake", false, "builds stand-ins for another Torch", kTools, &look_program, "cmake"},
    Check{"ninja", false, "builds them faster than make", kTools, &look_program, "ninja"},
    Check{"readelf", false, "lists what another Torch imports (package binutils)", kTools,
          &look_program, "readelf"},
    Check{"python3", false, "writes the list of stand-ins", kTools, &look_program, "python3"},
    Check{
        "cuDNN", false, "sizes of convolutions on the simulated GPU",
        "run scripts/install_cudnn.sh, or set HIGHWATER_CUDNN_DIR to the folder with libcudnn.so.9",
        &look_cudnn},
    Check{"Python with matplotlib", false, "draws the figures", "run scripts/setup.sh",
          &look_matplotlib},
    Check{"NVIDIA driver", false, "device cuda", "with an NVIDIA GPU: install NVIDIA's driver",
          &look_driver},
    Check{"NVIDIA's libraries", false, "device cuda: Torch loads them from beside itself",
          "run scripts/setup.sh once the driver is there", &look_nvidia_libraries},
    Check{"real GPU", false, "device cuda", "check the driver with nvidia-smi", &look_gpu, "cuda"},
    Check{"cache", false, "holds what was downloaded", "run scripts/setup.sh", &look_cache},
};

}  // namespace

std::span<const Check> machine_checks() { return kChecks; }

std::vector<CheckResult> examine(const Machine& machine) {
  std::vector<CheckResult> results;
  for (const Check& check : kChecks)
    results.push_back({&check, check.look(machine, check.argument)});
  return results;
}

bool is_ready(std::span<const CheckResult> results) {
  return std::ranges::all_of(results, [](const CheckResult& result) {
    return result.finding.is_there || !result.check->is_needed;
  });
}

}  // namespace highwater
