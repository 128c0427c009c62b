#pragma once

#include <cstddef>
#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// GitHub's limit of a comment's body; counted in bytes here, of which there are never fewer.
inline constexpr std::size_t kMarkdownLimit = 65536;

/// A comment for a pull request: how many cells got which verdict, the ones that are not unchanged
/// with their peak before (the baseline) and after, worst first, and the others folded away. Rows
/// that do not fit into kMarkdownLimit are counted in their place. Names and reasons come from
/// files that a stranger may have written: each stands inside <code>, in a block of HTML without
/// blank lines, with every mark-up character as a reference and at most 300 characters of it, so
/// that no Markdown, HTML, mention or link comes out of it.
std::string markdown_summary(const ExportInput& input);

}  // namespace highwater
