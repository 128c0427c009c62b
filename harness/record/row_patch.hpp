#pragma once

#include <string>
#include <string_view>

namespace highwater {

/// A unified diff, with three lines of context, of two texts in which no line stands twice and the
/// lines they share stand in the same order, as in baseline files: sorted, one row a line. Empty
/// where they are equal. `git apply` and `patch -p1` take it, below the folder that `path` starts
/// from.
/// @param path with slashes; what the patch calls the file.
/// @param old_text empty where the file is new.
/// @throws UsageError where a patch cannot hold the path: control characters, quotes, backslashes.
std::string row_patch(const std::string& path, std::string_view old_text,
                      std::string_view new_text);

}  // namespace highwater
