#pragma once

#include <string_view>

namespace highwater {

/// The files of harness/page/web, as they are in the tree; cmake/EmbedText.cmake puts them here.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;  ///< all modules, in their order

}  // namespace highwater
