#pragma once

#include <atomic>

namespace highwater::cli {

/// Becomes true on SIGINT or SIGTERM; the first call installs the handlers.
std::atomic<bool>& stop_flag();

}  // namespace highwater::cli
