#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace highwater {

/// From here on the kernel kills this process when `parent`, the process whose thread started it,
/// ends, however it ends. A parent that ended before this call is noticed by its number.
inline void die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::raise(SIGKILL);
}

}  // namespace highwater
