#pragma once

#include <stdexcept>
#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// A wrong environment variable or profile. The text is a whole sentence naming variable or file.
class SIMGPU_SHARED ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints "simgpu: <sentence>" on stderr and ends the process with code 2. Static destructors do
/// not run: Torch's would call back into a device that never came to be.
[[noreturn]] SIMGPU_SHARED void stop_misconfigured(const std::string& sentence);

/// What `call` returns; a ConfigError ends the process as above.
template <class Call>
auto or_stop(Call call) {
  try {
    return call();
  } catch (const ConfigError& error) {
    stop_misconfigured(error.what());
  }
}

/// Prints which call (and what about it) has no answer, with advice, and aborts. A wrong silent
/// answer is the worst fault a simulation can have, so there is no default answer anywhere.
/// `call` names function and detail, as in "cudaDeviceGetAttribute, attribute 4711"; `advice` is a
/// sentence without its capital.
[[noreturn]] SIMGPU_SHARED void stop_unanswered(
    const std::string& call, const char* library,
    const char* advice =
        "avoid the operation that calls it, or add the call to the stand-in for "
        "this library under simgpu/.");

}  // namespace simgpu

/// What a generated function does: `stop_unanswered` with C linkage.
SIMGPU_EXPORT void simgpu_stop_unimplemented [[noreturn]] (const char* name, const char* library);
