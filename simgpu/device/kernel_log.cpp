#include "simgpu/device/kernel_log.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "simgpu/device/config.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

using Line = nlohmann::ordered_json;

/// -1 where nothing is logged.
int log_file() {
  static const int file = [] {
    const std::string& path = config().kernel_log_path;
    if (path.empty()) return -1;
    const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (opened < 0)
      stop_misconfigured("the file " + path + " (SIMGPU_KERNEL_LOG) cannot be opened for writing.");
    return opened;
  }();
  return file;
}

Line start_line(StreamHandle stream, const char* kind) {
  static std::atomic<std::uint64_t> lines{0};
  const StreamFacts facts = find_stream(stream).value_or(StreamFacts{});
  return {{"process", getpid()},
          {"index", lines.fetch_add(1)},
          {"device", facts.device},
          {"stream", facts.id},
          {"kind", kind}};
}

void append(const Line& line) {
  const std::string text = line.dump(-1, ' ', false, Line::error_handler_t::replace) + "\n";
  [[maybe_unused]] const ssize_t written = write(log_file(), text.data(), text.size());
}

/// A kernel's host function lies in the library that registers it; a function of the driver does
/// not lie in any.
std::string module_of(const void* kernel) {
  Dl_info info{};
  if (dladdr(kernel, &info) == 0 || info.dli_fname == nullptr) return "compiled at run time";
  return std::filesystem::path(info.dli_fname).filename();
}

Line list(const Extent& extent) { return Line::array({extent.x, extent.y, extent.z}); }

/// cudaDataType_t of library_types.h.
std::string type_name(int type) {
  switch (type) {
    case 0:
      return "f32";
    case 1:
      return "f64";
    case 2:
      return "f16";
    case 3:
      return "i8";
    case 4:
      return "c64";
    case 5:
      return "c128";
    case 10:
      return "i32";
    case 14:
      return "bf16";
    case 28:
      return "f8e4m3";
    case 29:
      return "f8e5m2";
    default:
      return "type " + std::to_string(type);
  }
}

}  // namespace

void log_kernel(const KernelLaunch& launch) {
  if (log_file() < 0) return;
  Line line = start_line(launch.stream, "kernel");
  line["name"] = kernel_name(launch.kernel);
  line["module"] = module_of(launch.kernel);
  line["grid"] = list(launch.grid);
  line["block"] = list(launch.block);
  line["shared_bytes"] = launch.shared_bytes;
  append(line);
}

void log_library(StreamHandle stream, const char* name) {
  if (log_file() < 0) return;
  Line line = start_line(stream, "library");
  line["name"] = name;
  append(line);
}

void log_product(StreamHandle stream, const Product& product) {
  if (log_file() < 0) return;
  Line line = start_line(stream, "product");
  line["name"] = product.name;
  line["m"] = product.m;
  line["n"] = product.n;
  line["k"] = product.k;
  line["batch"] = product.batch;
  line["types"] = Line::array();
  for (const int type : product.types) line["types"].push_back(type_name(type));
  line["transposed"] = std::string{"NTC"[product.operation_a % 3], "NTC"[product.operation_b % 3]};
  append(line);
}

void log_copy(StreamHandle stream, const char* direction, std::uint64_t bytes) {
  if (log_file() < 0) return;
  Line line = start_line(stream, "copy");
  line["direction"] = direction;
  line["bytes"] = bytes;
  append(line);
}

void log_fill(StreamHandle stream, std::uint64_t bytes) {
  if (log_file() < 0) return;
  Line line = start_line(stream, "fill");
  line["bytes"] = bytes;
  append(line);
}

}  // namespace simgpu
