#include "harness/core/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick(20);
constexpr std::size_t kLongestNumber = 20;

[[noreturn]] void fail(const fs::path& file, std::string_view what) {
  throw UsageError(
      fmt::format("cannot lock {} ({}): {}", what, file.string(), std::strerror(errno)));
}

// The holder writes its number a moment after it has the lock.
std::string holder(const fs::path& file) try {
  const std::string number = read_file_start(file, kLongestNumber);
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? number : std::string();
} catch (const UsageError&) {
  return {};
}

[[noreturn]] void refuse(const fs::path& file, std::string_view what) {
  const std::string number = holder(file);
  const std::string who = number.empty() ? "another process" : "process " + number;
  const std::string stop = number.empty() ? "stop it" : "stop it (kill " + number + ")";
  throw UsageError(fmt::format("{} is in use by {}: wait until it has ended, or {}, then try again",
                               what, who, stop));
}

// The holder before us may have taken the file away after we opened it: a lock on a file that has
// no name keeps nobody out.
bool is_still_named(int descriptor, const fs::path& file) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(file.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/// The descriptor that holds the lock, or -1 where another process does.
int try_lock(const fs::path& file, std::string_view what) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(file, what);
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const int error = errno;
  if (locked && is_still_named(descriptor, file)) return descriptor;
  ::close(descriptor);
  errno = error;
  if (!locked && error != EWOULDBLOCK && error != EINTR) fail(file, what);
  return locked ? try_lock(file, what) : -1;
}

void write_holder(int descriptor) {
  const std::string number = std::to_string(::getpid());
  // Who cannot write it is an unnamed holder, and holds all the same.
  [[maybe_unused]] const bool named =
      ::ftruncate(descriptor, 0) == 0 && ::write(descriptor, number.data(), number.size()) > 0;
}

}  // namespace

FileLock::FileLock(fs::path file, std::string_view what, std::chrono::milliseconds patience)
    : file_(std::move(file)) {
  const auto end = Clock::now() + patience;
  while ((descriptor_ = try_lock(file_, what)) < 0) {
    if (Clock::now() >= end) refuse(file_, what);
    std::this_thread::sleep_for(kTick);
  }
  write_holder(descriptor_);
}

FileLock::~FileLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace highwater
