#include "tests/fakes/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "harness/core/files.hpp"

namespace highwater::testing_fakes {
namespace {

std::atomic<int> started = 0;

int create(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

}  // namespace

Program::Program(const std::vector<std::string>& command, const std::filesystem::path& folder,
                 const std::map<std::string, std::string>& environment) {
  const std::string number = std::to_string(++started);
  output_ = folder / ("output-" + number);
  error_ = folder / ("error-" + number);
  // Here and not in the child, which may be killed before it has opened anything.
  const int output = create(output_);
  const int error = create(error_);
  process_ = ::fork();
  if (process_ != 0) {
    ::close(output);
    ::close(error);
    return;
  }
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) std::_Exit(126);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  std::_Exit(127);
}

void Program::signal(int number) const { ::kill(process_, number); }

ProgramResult Program::wait() const {
  int status = 0;
  ::waitpid(process_, &status, 0);
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return {code, read_file(output_), read_file(error_)};
}

}  // namespace highwater::testing_fakes
