#include <array>
#include <random>

#include "fidelity/allocator/program.hpp"

namespace highwater::oracle {
namespace {

/// Around these the policy changes what it does.
constexpr std::array<Bytes, 12> edges = {512,      1024,     512 * kib, mib - 512,
                                         mib,      2 * mib,  10 * mib,  12 * mib,
                                         20 * mib, 21 * mib, 40 * mib,  64 * mib};

/// std::mt19937_64 is the same everywhere, the standard distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool happens(double probability) { return fraction() < probability; }
  /// Every power of two as often.
  Bytes spread(unsigned low_power, unsigned high_power) {
    const Bytes power = Bytes{1} << between(low_power, high_power - 1);
    return power + below(power);
  }

 private:
  std::mt19937_64 engine_;
};

Bytes any_size(Dice& dice) {
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2:
      return dice.spread(0, 20);
    case 3:
    case 4:
      return dice.between(mib + 1, 10 * mib);
    case 5:
    case 6:
      return dice.spread(23, 27);
    default:
      return edges[dice.below(edges.size())] + dice.between(0, 2) - 1;
  }
}

std::array<std::uint64_t, 16> any_divisions(Dice& dice) {
  std::array<std::uint64_t, 16> divisions{};
  const bool is_one_for_all = dice.happens(0.5);
  const std::uint64_t common = std::uint64_t{1} << dice.below(5);
  for (auto& count : divisions) count = is_one_for_all ? common : std::uint64_t{1} << dice.below(5);
  return divisions;
}

Settings any_settings(Dice& dice) {
  Settings settings;
  if (dice.happens(0.3)) return settings;
  if (dice.happens(0.3)) settings.large_segment_bytes = dice.between(6, 32) * 2 * mib;
  if (dice.happens(0.3)) settings.power2_divisions = any_divisions(dice);
  if (dice.happens(0.25)) {
    settings.expandable_segments = true;
    return settings;
  }
  if (dice.happens(0.4)) {
    settings.max_split_bytes = settings.large_segment_bytes + dice.between(10, 40) * mib;
    settings.max_non_split_rounding_bytes =
        settings.large_segment_bytes + dice.between(1, 40) * mib;
  }
  if (dice.happens(0.4))
    settings.garbage_collection_threshold = static_cast<double>(dice.between(1, 9)) / 10;
  return settings;
}

/// Of 140 GiB: about 70 MiB to 1.4 GiB.
double any_memory_fraction(Dice& dice) {
  return static_cast<double>(dice.between(5, 100)) / 10'000;
}

class Author {
 public:
  Author(Dice& dice, Program& program) : dice_(dice), program_(program) {
    for (Bytes& size : usual_sizes_) size = any_size(dice);
  }

  void write(std::size_t steps) {
    while (program_.steps.size() < steps) write_step();
    while (!live_.empty()) free_one();
    for (std::size_t stream = 0; stream < program_.streams; ++stream)
      program_.steps.push_back({.kind = Step::Kind::finish, .stream = stream});
    program_.steps.push_back({.kind = Step::Kind::empty_cache});
    if (program_.settings.expandable_segments) give_up_addresses();
  }

 private:
  void write_step() {
    constexpr std::size_t most_live = 60;
    const double kind = dice_.fraction();
    if (live_.empty() || (kind < 0.5 && live_.size() < most_live))
      allocate();
    else if (kind < 0.86)
      free_one();
    else if (kind < 0.92)
      program_.steps.push_back({.kind = Step::Kind::use,
                                .stream = any_stream(),
                                .block = live_[dice_.below(live_.size())]});
    else if (kind < 0.97)
      program_.steps.push_back({.kind = Step::Kind::finish, .stream = any_stream()});
    else if (kind < 0.98)
      program_.steps.push_back({.kind = Step::Kind::empty_cache});
    else if (program_.fraction < 1)
      program_.steps.push_back({.kind = Step::Kind::allow, .fraction = any_memory_fraction(dice_)});
  }

  /// Addresses whose first page could not be had are kept until something was mapped there.
  void give_up_addresses() {
    for (std::size_t stream = 0; stream < program_.streams; ++stream)
      for (const Bytes bytes : {kib, 2 * mib}) {
        allocate(bytes, stream);
        free_one();
        program_.steps.push_back({.kind = Step::Kind::empty_cache});
      }
  }

  void allocate() {
    allocate(dice_.happens(0.6) ? usual_sizes_[dice_.below(usual_sizes_.size())] : any_size(dice_),
             any_stream());
  }

  void allocate(Bytes bytes, std::size_t stream) {
    live_.push_back(program_.steps.size());
    program_.steps.push_back({.bytes = bytes, .stream = stream});
  }

  void free_one() {
    std::swap(live_[dice_.below(live_.size())], live_.back());
    program_.steps.push_back({.kind = Step::Kind::free, .block = live_.back()});
    live_.pop_back();
  }

  /// Half of all work is on the first stream.
  std::size_t any_stream() { return dice_.happens(0.5) ? 0 : dice_.below(program_.streams); }

  Dice& dice_;
  Program& program_;
  std::array<Bytes, 6> usual_sizes_{};
  std::vector<std::size_t> live_;
};

}  // namespace

/// Capacities and fractions leave room for the largest large segment, 64 MiB.
Program random_program(std::uint64_t seed) {
  Dice dice(seed);
  Program program{.seed = seed, .settings = any_settings(dice)};
  if (dice.happens(0.5)) program.capacity_bytes = dice.between(33, 700) * 2 * mib;
  if (program.settings.garbage_collection_threshold > 0 || dice.happens(0.1))
    program.fraction = any_memory_fraction(dice);
  program.streams = dice.between(1, 4);
  Author(dice, program).write(dice.between(60, 400));
  return program;
}

}  // namespace highwater::oracle
