#pragma once

namespace highwater::cli {

/// Whether a person sees this descriptor.
bool is_terminal(int descriptor);

/// Whether to colour what goes there: a terminal, and NO_COLOR is not set.
bool has_colour(int descriptor);

}  // namespace highwater::cli
