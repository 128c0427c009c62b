#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace highwater {

/// JSON that may stand in a script element of HTML: < > & and the line ends that only JavaScript
/// knows (U+2028, U+2029) are escaped, so that no name of a cell can end the element or begin a
/// comment (HTML standard, "Restrictions for contents of script elements"). Bytes that are no UTF-8
/// become U+FFFD.
std::string script_json(const nlohmann::ordered_json& json);

/// The whole file of the page: one HTML document that asks for nothing else.
/// @param document of page_document().
std::string page_text(const nlohmann::ordered_json& document);

}  // namespace highwater
