#include "harness/launch/pipe.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

constexpr std::size_t kMostInOneDrain = 1 << 20;

[[noreturn]] void fail(const char* call) {
  throw InternalError(std::string("cannot talk to a cell process: ") + call + ": " +
                      std::strerror(errno));
}

// Standard descriptors may be closed in our parent; then pipes would get their numbers and be
// overwritten while the child's own are arranged.
Descriptor above_standard(int number, const char* call) {
  if (number < 0) fail(call);
  if (number > 3) return Descriptor(number);
  Descriptor low(number);
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, 10);
  if (high < 0) fail("fcntl");
  return Descriptor(high);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

int Descriptor::release() { return std::exchange(number_, -1); }

Pipe open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  Pipe pipe{above_standard(ends[0], "pipe2"), above_standard(ends[1], "pipe2")};
  if (::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
  return pipe;
}

Descriptor open_text(std::string_view text) {
  Descriptor file = above_standard(::memfd_create("request", MFD_CLOEXEC), "memfd_create");
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0) fail("write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::lseek(file.number(), 0, SEEK_SET) != 0) fail("lseek");
  return file;
}

void drain(Descriptor& descriptor, KeptText& text) {
  std::array<char, 65536> buffer;
  std::size_t taken = 0;
  while (descriptor.is_open() && taken < kMostInOneDrain) {
    const ssize_t count = ::read(descriptor.number(), buffer.data(), buffer.size());
    if (count > 0) {
      taken += static_cast<std::size_t>(count);
      text.append({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else if (count == 0 || errno != EINTR) {
      descriptor.close();
    }
  }
}

}  // namespace highwater
