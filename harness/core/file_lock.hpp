#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

namespace highwater {

/// An exclusive lock between processes. The kernel gives it back when its holder ends, however it
/// ends. It is held through a file that names the holder and is gone with it, but for one that a
/// killed holder left, which locks nobody out.
class FileLock {
 public:
  /// Tries until `patience` is over. `what` is what the lock guards, for the message.
  /// @throws UsageError naming the process that holds it and what to do, or the system's reason.
  FileLock(std::filesystem::path file, std::string_view what,
           std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace highwater
