#include "harness/exec/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/core/error.hpp"
#include "harness/launch/pipe.hpp"
#include "harness/launch/spawn_text.hpp"

namespace highwater {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::atomic<pid_t> foreground = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may not wait");

void pass_on(int signal, siginfo_t* info, void*) {
  const bool from_terminal = info->si_code == SI_KERNEL;
  if (const pid_t process = foreground; process > 0 && !from_terminal) ::kill(process, signal);
}

sigset_t passed_on_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kPassedOn) sigaddset(&set, signal);
  return set;
}

/// While it lives the signals are passed on; before `follow` they wait.
class SignalRelay {
 public:
  SignalRelay() {
    const sigset_t held = passed_on_set();
    ::sigprocmask(SIG_BLOCK, &held, &mask_before_);
    struct sigaction action {};
    action.sa_sigaction = &pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      ::sigaction(kPassedOn[i], &action, &actions_before_[i]);
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;
  ~SignalRelay() {
    foreground = 0;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      ::sigaction(kPassedOn[i], &actions_before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  void follow(pid_t process) const {
    foreground = process;
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t mask_before_{};
  std::array<struct sigaction, kPassedOn.size()> actions_before_{};
};

/// Nothing to read, and what is written goes to a descriptor of ours.
class FileActions {
 public:
  explicit FileActions(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// The signals wait in the child until they are what they were in us.
class SpawnMask {
 public:
  explicit SpawnMask(const sigset_t& mask) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SpawnMask(const SpawnMask&) = delete;
  SpawnMask& operator=(const SpawnMask&) = delete;
  ~SpawnMask() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

pid_t start(const ChildCommand& command, const posix_spawn_file_actions_t* actions,
            const posix_spawnattr_t* attributes) {
  auto arguments = command.arguments;
  auto environment = merged_environment(command.environment, command.unset);
  pid_t process = 0;
  const int error = ::posix_spawn(&process, command.program.c_str(), actions, attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  if (error != 0) {
    throw UsageError(
        fmt::format("cannot start {}: {}", command.program.string(), std::strerror(error)));
  }
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

int run_in_foreground(const ChildCommand& command) {
  const SignalRelay relay;
  const pid_t process = start(command, nullptr, SpawnMask(relay.mask_before()).get());
  relay.follow(process);
  return wait_for(process);
}

Captured capture_output(const ChildCommand& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw InternalError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  const pid_t process = start(command, FileActions(write_end.number()).get(), nullptr);
  write_end.close();
  Captured captured;
  captured.output = read_to_end(read_end.number());
  captured.status = wait_for(process);
  return captured;
}

}  // namespace highwater
