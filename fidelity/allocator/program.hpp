#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fidelity/allocator/comparison.hpp"
#include "fidelity/allocator/settings.hpp"
#include "fidelity/allocator/subject.hpp"

namespace highwater::oracle {

struct Step {
  enum class Kind { allocate, free, use, finish, empty_cache, allow };
  Kind kind = Kind::allocate;
  Bytes bytes = 0;         ///< allocate
  std::size_t stream = 0;  ///< allocate, use, finish: which of the program's streams
  std::size_t block = 0;   ///< free, use: the step that allocated it
  double fraction = 1;     ///< allow
};

/// A program that an allocator can be put through. It frees all it allocates, finishes its streams
/// and empties the cache, so programs can follow each other in one process.
struct Program {
  std::uint64_t seed = 0;
  Settings settings;
  Bytes capacity_bytes = unlimited;  ///< device memory that is free when it starts
  double fraction = 1;               ///< setMemoryFraction before its first step
  std::size_t streams = 1;
  std::vector<Step> steps;
};

/// The same seed gives the same program, with any compiler.
Program random_program(std::uint64_t seed);

/// "allocate 512 bytes on stream 1"
std::string to_text(const Step& step);

/// Hears the events of each step; false ends the run there.
using OnStep = std::function<bool(std::size_t step, std::vector<Event> events)>;

/// `streams` are the handles of the program's streams; steps with a block that could not be
/// allocated are passed over.
void run(const Program& program, Subject& subject, const std::vector<Stream>& streams,
         const OnStep& on_step);

/// Runs the whole program and returns the events of each step.
std::vector<std::vector<Event>> record(const Program& program, Subject& subject,
                                       const std::vector<Stream>& streams);

/// Where an allocator first leaves a recording of the program; it is not asked further then.
struct Departure {
  std::size_t step = 0;
  Difference difference;
};
std::optional<Departure> first_departure(const Program& program, Subject& subject,
                                         const std::vector<Stream>& streams,
                                         const std::vector<std::vector<Event>>& recording);

}  // namespace highwater::oracle
