#include "harness/launch/cell_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/core/error.hpp"
#include "harness/launch/device_environment.hpp"
#include "harness/launch/pipe.hpp"
#include "harness/launch/spawn_text.hpp"

namespace highwater {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kResultDescriptor = 3;
// How soon a stop, a time limit, or an exit that leaves pipes open is noticed.
constexpr int kTickMilliseconds = 20;
constexpr std::size_t kLongestQuote = 400;
constexpr std::size_t kKeptOfLog = 64 << 10;      // of its start, and of its end
constexpr std::size_t kLongestAnswer = 16 << 20;  // a big model's events take several MiB

/// Attributes and file actions of posix_spawn, freed with their owner.
class SpawnPlan {
 public:
  SpawnPlan(int input, int log, int result) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, log, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, result, kResultDescriptor);
    // Also those that our own parent forgot to close.
    posix_spawn_file_actions_addclosefrom_np(&actions_, kResultDescriptor + 1);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  /// 0 or the system's error number.
  int start(pid_t& process, const Command& command) const {
    auto arguments = command.arguments;
    auto environment = merged_environment(command.environment, command.unset);
    return ::posix_spawn(&process, arguments.front().c_str(), &actions_, &attributes_,
                         pointers(arguments).data(), pointers(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// A started process group; killed and reaped with its owner. The leader is reaped last, so that
/// its number cannot pass to a stranger before the group is killed.
class ProcessGroup {
 public:
  explicit ProcessGroup(pid_t leader) : leader_(leader) {}
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup() { kill_and_reap(); }

  bool has_ended() const {
    siginfo_t info{};
    const auto id = static_cast<id_t>(leader_);
    return ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == leader_;
  }

  int kill_and_reap() {
    if (reaped_) return status_;
    ::kill(-leader_, SIGKILL);
    while (::waitpid(leader_, &status_, 0) < 0 && errno == EINTR) continue;
    reaped_ = true;
    return status_;
  }

 private:
  pid_t leader_;
  int status_ = 0;
  bool reaped_ = false;
};

/// The descriptors that the process writes to, and what came out of them.
struct Channels {
  Descriptor answer;
  Descriptor log;
  KeptText answer_text{kLongestAnswer, 0};
  KeptText log_text{kKeptOfLog, kKeptOfLog};
};

void wait_for_output(const Channels& channels) {
  std::array<pollfd, 2> watched = {pollfd{channels.answer.number(), POLLIN, 0},
                                   pollfd{channels.log.number(), POLLIN, 0}};
  ::poll(watched.data(), watched.size(), kTickMilliseconds);
}

// Ends when the leader does: a forgotten grandchild may hold the pipes open for ever.
Ending follow(const ProcessGroup& process, Channels& channels, Clock::time_point end,
              const std::atomic<bool>& stop) {
  for (;;) {
    const bool ended = process.has_ended();
    drain(channels.answer, channels.answer_text);
    drain(channels.log, channels.log_text);
    if (ended) return Ending::answered;
    if (stop) return Ending::interrupted;
    if (Clock::now() >= end) return Ending::timed_out;
    wait_for_output(channels);
  }
}

std::string last_meaningful_line(std::string_view log) {
  std::string line;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = std::min(log.find('\n', start), log.size());
    const std::string_view candidate = log.substr(start, end - start);
    if (std::ranges::any_of(candidate, [](unsigned char c) { return std::isalnum(c) != 0; })) {
      line = candidate.substr(0, kLongestQuote);
    }
    start = end + 1;
  }
  return line;
}

std::string with_last_line(std::string reason, std::string_view log) {
  const std::string line = last_meaningful_line(log);
  return line.empty() ? reason : reason + "; its last words: " + line;
}

std::string ending_in_words(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return fmt::format("killed by SIG{}",
                       name != nullptr ? name : std::to_string(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

/// The sentence with which the simulated GPU stopped the program (simgpu/device/stop.hpp): it
/// aborts, and its last words begin with that sentence. Empty where it did not.
std::string refusal_in(int status, std::string_view log) {
  constexpr std::string_view kSpeaker = "simgpu: ";
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) return {};
  std::string sentence;
  bool speaking = false;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = std::min(log.find('\n', start), log.size());
    const std::string_view line = log.substr(start, end - start);
    const bool speaks = line.starts_with(kSpeaker);
    if (speaks && !speaking) sentence = line.substr(kSpeaker.size(), kLongestQuote);
    speaking = speaks;
    start = end + 1;
  }
  return sentence;
}

void judge_ending(CellReply& reply, int status, std::chrono::seconds limit) {
  if (reply.ending == Ending::timed_out) {
    reply.reason = with_last_line(fmt::format("no answer within {} s", limit.count()), reply.log);
  } else if (reply.ending == Ending::interrupted) {
    reply.reason = "the run was interrupted";
  } else if (std::string refusal = refusal_in(status, reply.log); !refusal.empty()) {
    reply.ending = Ending::refused;
    reply.reason = std::move(refusal);
  } else if (status != 0) {
    reply.ending = Ending::failed;
    reply.reason = with_last_line(ending_in_words(status), reply.log);
  } else if (reply.answer.size() > kLongestAnswer) {
    reply.ending = Ending::failed;
    reply.reason = fmt::format("its answer is longer than {} bytes", kLongestAnswer);
  } else if (reply.answer.find('\n') == std::string::npos) {
    reply.ending = Ending::failed;
    reply.reason = with_last_line("ended without an answer", reply.log);
  }
}

}  // namespace

Command cell_command(const Cell& cell, const InstallPaths& paths) {
  Command command{{paths.cell_program.string(), "--core", paths.core_library.string()},
                  cell_environment(cell, paths),
                  unset_variables(cell, paths)};
  auto& arguments = command.arguments;
  if (needs_standins(cell.device)) {
    arguments.insert(arguments.end(), {"--standins", paths.standins.string()});
  }
  for (const auto& plugin : paths.plugins) {
    arguments.insert(arguments.end(), {"--plugin", plugin.string()});
  }
  arguments.insert(arguments.end(), {"--parent", std::to_string(::getpid())});
  arguments.insert(arguments.end(), {"--result-fd", std::to_string(kResultDescriptor)});
  return command;
}

Command high_end_command(const Cell& cell, const InstallPaths& paths) {
  Command command = cell_command(cell, paths);
  for (auto& [name, value] : command.environment) {
    if (name == kUnknownSizesVariable) value = "high";
  }
  return command;
}

CellReply run_command(const Command& command, const std::string& request,
                      std::chrono::seconds limit, const std::atomic<bool>& stop) {
  CellReply reply;
  const auto start = Clock::now();
  const Descriptor input = open_text(request);
  Pipe answer = open_pipe();
  Pipe log = open_pipe();
  pid_t leader = 0;
  const SpawnPlan plan(input.number(), log.write_end.number(), answer.write_end.number());
  if (const int error = plan.start(leader, command); error != 0) {
    reply.reason = fmt::format("cannot start {}: {}; build or install the project",
                               command.arguments.front(), std::strerror(error));
    return reply;
  }
  ProcessGroup process(leader);
  answer.write_end.close();
  log.write_end.close();
  Channels channels{std::move(answer.read_end), std::move(log.read_end)};
  reply.ending = follow(process, channels, start + limit, stop);
  const int status = process.kill_and_reap();
  reply.wall = Clock::now() - start;
  reply.answer = channels.answer_text.text();
  reply.log = channels.log_text.text();
  judge_ending(reply, status, limit);
  return reply;
}

}  // namespace highwater
