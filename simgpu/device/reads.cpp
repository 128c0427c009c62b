#include "simgpu/device/reads.hpp"

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <span>

#include "simgpu/device/answers.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/host_memory.hpp"
#include "simgpu/device/notes.hpp"
#include "simgpu/device/operators.hpp"
#include "simgpu/device/shadow.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

std::atomic<std::uint64_t> unknown_read_count{0};

Answers load_answers(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw ConfigError("the environment variable SIMGPU_READS is '" + path +
                      "', which is neither zeros nor ones nor a file that can be opened.");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Answers(text, path);
}

void answer_from_script(const std::string& operator_name, std::span<unsigned char> target) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  try {
    static Answers& answers = *new Answers(load_answers(config().answers_path));
    answers.answer(operator_name, target);
  } catch (const ConfigError& error) {
    stop_misconfigured(error.what());
  }
}

void answer_with_ones(std::span<unsigned char> target) {
  const bool is_number = target.size() == 2 || target.size() == 4 || target.size() == 8;
  std::memset(target.data(), is_number ? 0 : 1, target.size());
  target[0] = 1;
}

void answer_unknown(std::span<unsigned char> target) {
  const std::string operator_name = innermost_operator();
  unknown_read_count.fetch_add(1);
  mark_operators_as_reading();
  note(NoteKind::unlike_device,
       "device memory read without its values: " +
           (operator_name.empty() ? "outside Torch's operators" : operator_name));
  switch (config().read_answer) {
    case ReadAnswer::zeros:
      fill_with_zeros(target.data(), target.size());
      return;
    case ReadAnswer::ones:
      return answer_with_ones(target);
    case ReadAnswer::script:
      return answer_from_script(operator_name, target);
  }
}

}  // namespace

void read_device(void* target, Address source, std::uint64_t bytes) {
  if (read_shadow(target, source, bytes) == bytes) return;
  answer_unknown({static_cast<unsigned char*>(target), bytes});
  read_shadow(target, source, bytes);
}

void device_memory_changes_hands(Address address, std::uint64_t bytes) {
  forget_shadow(address, bytes);
  if (const char* name = operator_that_has_read()) note(NoteKind::size_by_value, name);
}

std::uint64_t unknown_reads() { return unknown_read_count.load(); }

}  // namespace simgpu
