#pragma once

namespace highwater::cli {

/// Whether a person sees this descriptor.
bool is_terminal(int descriptor);

/// Whether to colour what goes there: a terminal, and NO_COLOR is not set.
bool has_colour(int descriptor);

/// The status to exit with: usage, with a sentence on standard error, where results could not be
/// written to standard output; else `status`.
int status_after_output(int status);

}  // namespace highwater::cli
