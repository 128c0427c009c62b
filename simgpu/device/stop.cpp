#include "simgpu/device/stop.hpp"

#include <cstdio>
#include <cstdlib>

#include "simgpu/device/kernels.hpp"
#include "simgpu/device/notes.hpp"

namespace simgpu {

void stop_misconfigured(const std::string& sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "simgpu: %s\n", sentence.c_str());
  std::_Exit(2);
}

void stop_unanswered(const std::string& call, const char* library, const char* advice) {
  note(NoteKind::unanswered, call + " (" + library + ")");
  std::fflush(stdout);
  std::fprintf(stderr,
               "simgpu: %s (%s) is not simulated, so the program stops here instead of going on "
               "with a wrong answer.\n"
               "simgpu: last kernel launched: %s\n"
               "simgpu: %s\n",
               call.c_str(), library, kernel_name(last_launched_kernel()), advice);
  std::abort();
}

}  // namespace simgpu

void simgpu_stop_unimplemented(const char* name, const char* library) {
  simgpu::stop_unanswered(name, library);
}
