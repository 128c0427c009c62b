#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace highwater {

/// The valid names closest to a mistyped one, best first: up to three within an edit distance of
/// a third of the word's length (at least 2), or that contain it or are contained in it.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& valid);

/// One sentence for an unknown name: `unknown model "gpt2-smal"; did you mean "gpt2-small"?`,
/// or, where nothing is near, the whole list of valid names.
std::string unknown_name(std::string_view kind, std::string_view word,
                         const std::vector<std::string>& valid);

}  // namespace highwater
