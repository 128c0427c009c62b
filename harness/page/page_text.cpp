#include "harness/page/page_text.hpp"

#include <array>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/page/web_files.hpp"

namespace highwater {
namespace {

struct Escape {
  std::string_view bytes;
  std::string_view text;
};

constexpr std::array kEscapes = {Escape{"<", "\\u003c"}, Escape{">", "\\u003e"},
                                 Escape{"&", "\\u0026"}, Escape{"\xe2\x80\xa8", "\\u2028"},
                                 Escape{"\xe2\x80\xa9", "\\u2029"}};

/// Puts `text` in place of a mark of the template, which holds each once.
void fill(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) {
    throw InternalError("the page's template lacks " + std::string(mark));
  }
  page.replace(at, mark.size(), text);
}

}  // namespace

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string plain = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (std::size_t at = 0; at < plain.size();) {
    const std::string_view rest = std::string_view(plain).substr(at);
    const Escape* found = nullptr;
    for (const Escape& escape : kEscapes) {
      if (rest.starts_with(escape.bytes)) found = &escape;
    }
    text += found == nullptr ? rest.substr(0, 1) : found->text;
    at += found == nullptr ? 1 : found->bytes.size();
  }
  return text;
}

// The facts come last: nothing in them can be taken for a mark.
std::string page_text(const nlohmann::ordered_json& document) {
  std::string page(kPageHtml);
  fill(page, "/*{page.css}*/", kPageCss);
  fill(page, "/*{page.js}*/", kPageJs);
  fill(page, "{facts}", script_json(document));
  return page;
}

}  // namespace highwater
