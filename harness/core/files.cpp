#include "harness/core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path, int error) {
  throw UsageError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

void write_all(int descriptor, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A file beside its target, gone again unless it was renamed over it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) {
    do {
      path_ = fmt::format("{}.tmp.{}.{}", target.string(), ::getpid(), ++made);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail("write", target, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }

  void write(std::string_view text) { write_all(descriptor_, text, path_); }

  void rename_over(const fs::path& target) {
    if (::fsync(descriptor_) != 0 || ::rename(path_.c_str(), target.c_str()) != 0) {
      fail("write", target, errno);
    }
    renamed_ = true;
  }

 private:
  // Two threads, and two machines with one folder, may write the same target at once.
  static inline std::atomic<unsigned> made = 0;

  std::string path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

bool is_plain_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
  return !text.empty() && text.size() <= kLongestPlainName && text != "." && text != ".." &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::string read_file(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("read", path, errno != 0 ? errno : EIO);
  if (fs::is_directory(path)) fail("read", path, EISDIR);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) fail("read", path, EIO);
  return text;
}

std::string read_file_start(const fs::path& path, std::size_t most_bytes) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("read", path, errno != 0 ? errno : EIO);
  if (fs::is_directory(path)) fail("read", path, EISDIR);
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most_bytes));
  if (file.bad()) fail("read", path, EIO);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  if (path.has_parent_path()) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) fail("create the folder of", path, error.value());
  }
  TemporaryFile beside(path);
  beside.write(text);
  beside.rename_over(path);
}

}  // namespace highwater
