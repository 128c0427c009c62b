#pragma once

#include <string>
#include <string_view>

#include "harness/launch/kept_text.hpp"

namespace highwater {

/// A file descriptor that is closed with its owner. Never inherited by other processes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();
  int release();

 private:
  int number_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

/// A pipe whose read end does not block. @throws InternalError with the system's reason.
Pipe open_pipe();

/// An anonymous file holding `text`, read from its start. A file and not a pipe: nothing blocks,
/// and a process that never reads its input raises no SIGPIPE here.
Descriptor open_text(std::string_view text);

/// Appends what is there, up to 1 MiB: as much as a pipe holds, so that one call takes all that a
/// process has written when it ends, and a process that never stops writing cannot keep the caller
/// here. Closes the descriptor at its end.
void drain(Descriptor& descriptor, KeptText& text);

}  // namespace highwater
