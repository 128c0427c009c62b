#include "simgpu/device/report_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

[[noreturn]] void refuse(const std::string& folder) {
  stop_misconfigured("no report page can be made in the folder " + folder +
                     " (SIMGPU_SESSION): " + std::strerror(errno) +
                     "; start the program by `highwater exec`, which makes one, or unset it.");
}

// A process that execs keeps its number but not its page: the next program takes a new name.
int create_file(const std::string& folder) {
  const std::string stem = folder + "/" + std::to_string(::getpid());
  for (int attempt = 0;; ++attempt) {
    const std::string path = stem + "-" + std::to_string(attempt) + ".page";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) return file;
    if (errno != EEXIST) refuse(folder);
  }
}

void* map(int file, int flags) {
  return ::mmap(nullptr, sizeof(ReportPage), PROT_READ | PROT_WRITE, flags, file, 0);
}

void* map_new_file(const std::string& folder) {
  const int file = create_file(folder);
  const bool sized = ::ftruncate(file, sizeof(ReportPage)) == 0;
  void* page = sized ? map(file, MAP_SHARED) : MAP_FAILED;
  ::close(file);
  if (page == MAP_FAILED) refuse(folder);
  return page;
}

void read_command_line(char* text, std::size_t room) {
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t count = ::read(file, text, room - 1);
  ::close(file);
  if (count <= 0) return;
  std::replace(text, text + count - 1, '\0', ' ');
  text[count] = '\0';
}

std::uint64_t now_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

}  // namespace

ReportPage* open_report_page() {
  const char* folder = std::getenv("SIMGPU_SESSION");
  void* place = folder != nullptr && *folder != '\0' ? map_new_file(folder)
                                                     : map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
  if (place == MAP_FAILED) refuse("of this process's own memory");
  auto* page = static_cast<ReportPage*>(place);
  page->page_bytes = sizeof(ReportPage);
  page->process = ::getpid();
  page->parent = ::getppid();
  page->started_ns = now_ns();
  read_command_line(page->command, sizeof page->command);
  page->magic = ReportPage::magic_number;
  return page;
}

}  // namespace simgpu
