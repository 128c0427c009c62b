#include "fidelity/allocator/program.hpp"

#include <sstream>
#include <utility>

namespace highwater::oracle {

std::string to_text(const Step& step) {
  std::ostringstream text;
  switch (step.kind) {
    case Step::Kind::allocate:
      text << "allocate " << step.bytes << " bytes on stream " << step.stream;
      break;
    case Step::Kind::free:
      text << "free the block of step " << step.block;
      break;
    case Step::Kind::use:
      text << "record stream " << step.stream << " on the block of step " << step.block;
      break;
    case Step::Kind::finish:
      text << "finish stream " << step.stream;
      break;
    case Step::Kind::empty_cache:
      text << "empty the cache";
      break;
    case Step::Kind::allow:
      text << "set the memory fraction to " << step.fraction;
      break;
  }
  return text.str();
}

void run(const Program& program, Subject& subject, const std::vector<Stream>& streams,
         const OnStep& on_step) {
  std::vector<std::optional<Address>> blocks(program.steps.size());
  subject.allow(program.fraction);
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    const Step& step = program.steps[index];
    switch (step.kind) {
      case Step::Kind::allocate:
        blocks[index] = subject.allocate(step.bytes, streams[step.stream]);
        break;
      case Step::Kind::free:
        if (blocks[step.block]) subject.free(*blocks[step.block]);
        break;
      case Step::Kind::use:
        if (blocks[step.block]) subject.use(*blocks[step.block], streams[step.stream]);
        break;
      case Step::Kind::finish:
        subject.finish(streams[step.stream]);
        break;
      case Step::Kind::empty_cache:
        subject.empty_cache();
        break;
      case Step::Kind::allow:
        subject.allow(step.fraction);
        break;
    }
    if (!on_step(index, subject.take_events())) return;
  }
}

std::vector<std::vector<Event>> record(const Program& program, Subject& subject,
                                       const std::vector<Stream>& streams) {
  std::vector<std::vector<Event>> recording;
  run(program, subject, streams, [&](std::size_t, std::vector<Event> events) {
    recording.push_back(std::move(events));
    return true;
  });
  return recording;
}

std::optional<Departure> first_departure(const Program& program, Subject& subject,
                                         const std::vector<Stream>& streams,
                                         const std::vector<std::vector<Event>>& recording) {
  std::optional<Departure> departure;
  run(program, subject, streams, [&](std::size_t step, std::vector<Event> events) {
    Comparison comparison;
    comparison.add(recording[step], std::move(events));
    if (comparison.first()) departure = Departure{step, *comparison.first()};
    return !departure;
  });
  return departure;
}

}  // namespace highwater::oracle
