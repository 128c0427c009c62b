#include "simgpu/device/config.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

constexpr std::int64_t max_devices = 64;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const char* name, std::string_view value, const std::string& wanted) {
  throw ConfigError("the environment variable " + std::string(name) + " is '" + std::string(value) +
                    "' but must be " + wanted + ".");
}

std::int64_t integer_between(const char* name, std::int64_t low, std::int64_t high) {
  const std::string_view text = environment(name);
  const auto value = parse_integer<std::int64_t>(text);
  if (!value || *value < low || *value > high)
    refuse(name, text,
           "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return *value;
}

void read_address_order(Config& config) {
  constexpr const char* name = "SIMGPU_ADDRESS_ORDER";
  constexpr std::string_view random_prefix = "random:";
  const std::string_view text = environment(name);
  if (text.empty() || text == "falling") return;
  if (text == "rising") {
    config.address_order = AddressOrder::rising;
    return;
  }
  const auto seed = text.starts_with(random_prefix)
                        ? parse_integer<std::uint64_t>(text.substr(random_prefix.size()))
                        : std::nullopt;
  if (!seed) refuse(name, text, "falling, rising or random:SEED (SEED a whole number)");
  config.address_order = AddressOrder::random;
  config.address_seed = *seed;
}

void read_event_timing(Config& config) {
  constexpr const char* name = "SIMGPU_EVENTS";
  const std::string_view text = environment(name);
  if (text.empty() || text == "queued") return;
  if (text != "at-once" && text != "after-sync")
    refuse(name, text, "at-once, queued or after-sync");
  config.event_timing = text == "at-once" ? EventTiming::at_once : EventTiming::after_sync;
}

void read_read_answer(Config& config) {
  const std::string_view text = environment("SIMGPU_READS");
  if (text.empty() || text == "zeros") return;
  if (text == "ones") {
    config.read_answer = ReadAnswer::ones;
    return;
  }
  config.read_answer = ReadAnswer::script;
  config.answers_path = text;
}

void read_unknown_sizes(Config& config) {
  constexpr const char* name = "SIMGPU_UNKNOWN_SIZES";
  const std::string_view text = environment(name);
  if (text == "high")
    config.unknown_sizes = UnknownSizes::high;
  else if (!text.empty() && text != "low")
    refuse(name, text, "low or high");
}

}  // namespace

Config read_config() {
  Config config;
  config.profile_path = environment("SIMGPU_PROFILE");
  if (!environment("SIMGPU_DEVICES").empty())
    config.device_count = static_cast<int>(integer_between("SIMGPU_DEVICES", 0, max_devices));
  if (!environment("SIMGPU_CAPACITY_BYTES").empty())
    config.capacity_bytes =
        integer_between("SIMGPU_CAPACITY_BYTES", 1, std::numeric_limits<std::int64_t>::max());
  read_address_order(config);
  config.address_list_path = environment("SIMGPU_ADDRESSES");
  config.kernel_log_path = environment("SIMGPU_KERNEL_LOG");
  read_event_timing(config);
  read_read_answer(config);
  read_unknown_sizes(config);
  config.cudnn_folder = environment("SIMGPU_CUDNN_DIR");
  return config;
}

const Config& config() {
  static const Config& instance = *new Config(or_stop(read_config));
  return instance;
}

}  // namespace simgpu

extern "C" int simgpu_present() { return 1; }
