#pragma once

#include <cstddef>
#include <cstdint>

namespace simgpu {

/// What one process tells about itself while it runs: a file `<pid>-<n>.page` of exactly this
/// struct, mapped shared into the process. It is kept current, so a process that is killed, crashes
/// or leaves by _exit has told as much as it did. Plain data: whoever waits for the process reads
/// the bytes and needs nothing else of simgpu. All texts end in a zero byte; all sizes are bytes.
struct ReportPage {
  static constexpr std::uint64_t magic_number = 0x3167615055504753;  // "SGPUPag1" in a hex dump
  static constexpr std::size_t most_devices = 64;
  static constexpr std::size_t most_blocks = 8;
  static constexpr std::size_t most_notes = 128;

  struct Level {
    std::uint64_t now;
    std::uint64_t peak;
  };

  /// What Torch's caching allocator says of itself (torch.cuda.memory_stats): `sampled` says when.
  struct Torch {
    std::uint64_t sampled;  ///< 0 never, 1 while running, 2 when the process ended
    Level requested, allocated, reserved;
    std::uint64_t retries;  ///< cache flushes because a block did not fit
    std::uint64_t out_of_memory;
    /// 1 where peaks are those of the whole run even if the program reset them in between.
    std::uint64_t peaks_survive_resets;
  };

  struct Device {
    std::uint64_t used;      ///< 1 once anything was asked of the device
    std::uint64_t capacity;  ///< total memory, of which the context takes its part
    std::uint64_t context;
    Level reserved;  ///< as the driver sees it, context not included
    std::uint64_t mallocs, frees, failed_mallocs;
    std::uint64_t largest_failed;
    std::uint64_t block_count;          ///< live when `reserved` was at its peak
    std::uint64_t blocks[most_blocks];  ///< the largest of them, largest first
    Torch torch;
  };

  struct Note {
    std::uint64_t count;
    char kind[24];
    char text[480];
  };

  std::uint64_t magic;
  std::uint64_t page_bytes;  ///< of this struct: tells an older layout
  std::int64_t process, parent;
  std::uint64_t started_ns;  ///< since 1970
  char command[512];         ///< arguments, separated by blanks; cut where too long
  std::uint64_t launches;
  std::uint64_t library_calls;
  Device devices[most_devices];
  std::uint64_t note_count;
  std::uint64_t notes_left_out;  ///< different notes that found no place
  Note notes[most_notes];
};

}  // namespace simgpu
