#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace highwater {

/// The text as XML and HTML both may hold it, between tags and in quoted attributes: & < > " ' as
/// character references, line ends and tabs as blanks, bytes that are no UTF-8 as U+FFFD. Dropped
/// are control characters (XML 1.0, section 2.2, has no place for most), marks that turn the
/// direction of reading, and U+FFFE and U+FFFF.
std::string markup_text(std::string_view text);

/// At most `most` code points; where there are more, the last one kept is "…".
std::string shortened(std::string_view text, std::size_t most);

}  // namespace highwater
