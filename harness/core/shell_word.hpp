#pragma once

#include <string>
#include <string_view>

namespace highwater {

/// The text as one word of a shell's command line, so that a printed command can be copied: in
/// single quotes where it holds anything but letters, digits and a few marks that mean nothing
/// there.
std::string shell_word(std::string_view text);

}  // namespace highwater
