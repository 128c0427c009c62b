#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace highwater {

/// With an ending and what is put beside a file while it is written, still a name that file systems
/// take (255 bytes).
inline constexpr std::size_t kLongestPlainName = 200;

/// Whether a text from a file may name a file or folder: letters, digits, '.', '_', '+' and '-',
/// not too many, and neither "." nor "..". Anything else could lead out of the folder it is meant
/// for.
bool is_plain_name(std::string_view text);

/// The whole file as bytes. @throws UsageError naming the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// The first `most_bytes` bytes of a file, or all of a shorter one. @throws as read_file.
std::string read_file_start(const std::filesystem::path& path, std::size_t most_bytes);

/// Writes beside the target, flushes to disk, then renames over it: readers see the old file or the
/// new one, never half of one. Creates missing folders.
/// @throws UsageError naming the path and the system's reason; the old file is left as it was.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace highwater
