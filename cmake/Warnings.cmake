# Warnings are errors in our code; other people's headers are SYSTEM.
add_library(highwater_warnings INTERFACE)
target_compile_options(highwater_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
    # Those of the compiler that everything is built with; clang, which builds fuzzers only, has others.
    $<$<NOT:$<BOOL:${HIGHWATER_FUZZ}>>:-Werror>
    # Designated initialisers leave out what has its default; that is their point.
    -Wno-missing-field-initializers)
