#include "benchmarks/cli/stop_signal.hpp"

#include <csignal>

namespace highwater::cli {
namespace {

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

void request_stop(int) { stop = true; }

bool install_handlers() {
  struct sigaction action {};
  action.sa_handler = &request_stop;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  return true;
}

}  // namespace

std::atomic<bool>& stop_flag() {
  [[maybe_unused]] static const bool installed = install_handlers();
  return stop;
}

}  // namespace highwater::cli
