#pragma once

#include <functional>
#include <memory>

#include "fidelity/allocator/subject.hpp"
#include "fidelity/allocator/trace.hpp"

namespace highwater::oracle {

/// An allocator in the state in which the trace starts.
using MakeSubject = std::function<std::unique_ptr<Subject>(const Trace&)>;

/// The body of a program `--events FILE --segments FILE [--json FILE]` that replays one trace, see
/// README.md. Returns its exit code: 0 equal, 1 different, 2 wrong usage or a trace that cannot be
/// replayed.
int run_replay_program(int argc, char** argv, const MakeSubject& make);

}  // namespace highwater::oracle
