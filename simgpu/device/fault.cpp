#include "simgpu/device/fault.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "simgpu/device/memory.hpp"
#include "simgpu/device/reservation.hpp"

namespace simgpu {
namespace {

struct sigaction previous_action;

/// Builds a line without memory allocation or stdio: both may be what the fault interrupted.
class Line {
 public:
  Line& text(std::string_view text) {
    const std::size_t count = std::min(text.size(), sizeof buffer_ - size_);
    std::memcpy(buffer_ + size_, text.data(), count);
    size_ += count;
    return *this;
  }
  Line& decimal(std::uint64_t value) { return number(value, 10); }
  Line& hexadecimal(Address address) { return text("0x").number(address, 16); }
  void write_to_stderr() const {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, buffer_, size_);
  }

 private:
  Line& number(std::uint64_t value, unsigned radix) {
    char digits[20];  // 2^64 has 20 decimal digits
    std::size_t first = sizeof digits;
    do {
      digits[--first] = "0123456789abcdef"[value % radix];
      value /= radix;
    } while (value != 0);
    return text(std::string_view(digits + first, sizeof digits - first));
  }

  char buffer_[512];
  std::size_t size_ = 0;
};

/// x86-64 page-fault error code, bit 1: the access was a write (Intel SDM volume 3, 4.7).
const char* access_name([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "write" : "read";
#else
  return "access";
#endif
}

void describe_block(Line& line, Address address) {
  const BlockLookup lookup = try_find_block(address);
  if (!lookup.known) {
    line.text("device memory (the block is unknown: the book-keeping is busy)");
  } else if (!lookup.block) {
    line.text("a freed or unallocated device address");
  } else {
    const Block& block = *lookup.block;
    line.text("device memory: byte ").decimal(address - block.address);
    line.text(" of a block of ").decimal(block.bytes).text(" bytes at ");
    line.hexadecimal(block.address).text(" (device ");
    line.decimal(static_cast<std::uint64_t>(block.device)).text(")");
  }
}

void report(const siginfo_t* info, const void* context) {
  const Address address = reinterpret_cast<Address>(info->si_addr);
  Line line;
  line.text("simgpu: host ").text(access_name(context)).text(" at ").hexadecimal(address);
  line.text(" touches ");
  describe_block(line, address);
  line.text("; copy it to the host first\n");
  line.write_to_stderr();
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    sigaction(SIGSEGV, &previous_action, nullptr);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!is_device_address(info->si_addr)) return pass_on(signal, info, context);
  report(info, context);
  sigaction(SIGSEGV, &previous_action, nullptr);
}

}  // namespace

void install_fault_reporter() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous_action);
}

}  // namespace simgpu
