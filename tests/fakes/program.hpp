#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace highwater::testing_fakes {

struct ProgramResult {
  int status = 0;  ///< exit status, or 128 + signal
  std::string output;
  std::string error;
};

/// A program that runs in a folder, its output kept in files there.
class Program {
 public:
  Program(const std::vector<std::string>& command, const std::filesystem::path& folder,
          const std::map<std::string, std::string>& environment = {});
  void signal(int number) const;
  ProgramResult wait() const;

 private:
  std::filesystem::path output_;
  std::filesystem::path error_;
  pid_t process_;
};

}  // namespace highwater::testing_fakes
