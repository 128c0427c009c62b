/// Replays a trace through the oracle; neither Torch nor a simulated GPU is involved.

#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/replay_program.hpp"

namespace {

using namespace highwater::oracle;

std::unique_ptr<Subject> make_oracle(const Trace& trace) {
  auto oracle = std::make_unique<OracleSubject>(trace.events, Device{}, Settings{});
  oracle->adopt(trace.start());
  return oracle;
}

}  // namespace

int main(int argc, char** argv) { return run_replay_program(argc, argv, make_oracle); }
