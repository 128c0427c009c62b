#include "tests/fidelity/broken_rules.hpp"

#include <tuple>

namespace highwater::oracle {
namespace {

Bytes round_up(Bytes bytes, Bytes step) { return (bytes + step - 1) / step * step; }

}  // namespace

std::vector<BrokenRules> broken_everyday_rules() {
  const auto rounds_to_1024 = [](Bytes request, const Settings&) { return round_up(request, kib); };
  const auto small_to_512_kib = [](Bytes block) {
    return block <= 512 * kib ? Pool::small : Pool::large;
  };
  const auto always_own_segment = [](Bytes block, const Settings& settings) {
    return block <= mib ? published::segment_bytes(block, settings) : round_up(block, 2 * mib);
  };
  const auto segments_by_1_mib = [](Bytes block, const Settings& settings) {
    return block < 10 * mib ? published::segment_bytes(block, settings) : round_up(block, mib);
  };
  const auto always_splits = [](Pool, Bytes, Bytes rest, const Settings&) { return rest >= 512; };
  const auto never_splits = [](Pool, Bytes, Bytes, const Settings&) { return false; };
  const auto highest_address = [](const Spot& left, const Spot& right) {
    return std::tie(left.stream, left.bytes, right.address) <
           std::tie(right.stream, right.bytes, left.address);
  };
  const auto worst_fit = [](const Spot& left, const Spot& right) {
    return std::tie(left.stream, right.bytes, left.address) <
           std::tie(right.stream, left.bytes, right.address);
  };
  const auto first_fit = [](const Spot& left, const Spot& right) {
    return std::tie(left.stream, left.address) < std::tie(right.stream, right.address);
  };
  const auto never_merges = [](const Spot&, const Spot&) { return false; };
  const auto merges_upwards_only = [](const Spot& freed, const Spot& neighbour) {
    return freed.address < neighbour.address;
  };
  return {{"rounds to 1,024 bytes", {.block_bytes = rounds_to_1024}},
          {"takes blocks above 512 KiB for large", {.pool_of = small_to_512_kib}},
          {"fetches no shared segments of 20 MiB", {.segment_bytes = always_own_segment}},
          {"rounds segments to 1 MiB", {.segment_bytes = segments_by_1_mib}},
          {"splits large blocks from a rest of 512 bytes on", {.splits = always_splits}},
          {"never splits", {.splits = never_splits}},
          {"prefers the highest of equal blocks", {.precedes = highest_address}},
          {"takes the largest block", {.precedes = worst_fit}},
          {"takes the first block that is large enough", {.precedes = first_fit}},
          {"never merges", {.merges = never_merges}},
          {"merges with the upper neighbour only", {.merges = merges_upwards_only}}};
}

std::vector<BrokenRules> broken_special_rules() {
  const auto ignores_divisions = [](Bytes request, const Settings&) {
    return published::block_bytes(request, {});
  };
  const auto ignores_large_segment_size = [](Bytes block, const Settings&) {
    return published::segment_bytes(block, {});
  };
  const auto splits_oversize = [](Pool pool, Bytes wanted, Bytes rest, Settings settings) {
    settings.max_split_bytes = unlimited;
    return published::splits(pool, wanted, rest, settings);
  };
  const auto splits_expandable_as_others = [](Pool pool, Bytes wanted, Bytes rest,
                                              Settings settings) {
    settings.expandable_segments = false;
    return published::splits(pool, wanted, rest, settings);
  };
  const auto serves_all = [](Bytes, Bytes, const Settings&) { return true; };
  const auto serves_any_oversize = [](Bytes wanted, Bytes found, const Settings& settings) {
    return wanted >= settings.max_split_bytes || published::serves(wanted, found, settings);
  };
  const auto collects_older_only = [](double age, double average) { return age > average; };
  const auto collects_all = [](double, double) { return true; };
  return {{"ignores roundup_power2_divisions", {.block_bytes = ignores_divisions}},
          {"ignores large_segment_size_mb", {.segment_bytes = ignores_large_segment_size}},
          {"splits oversize blocks", {.splits = splits_oversize}},
          {"splits expandable blocks as others", {.splits = splits_expandable_as_others}},
          {"gives oversize blocks to every request", {.serves = serves_all}},
          {"ignores max_non_split_rounding_mb", {.serves = serves_any_oversize}},
          {"collects what is older than the average only", {.is_old = collects_older_only}},
          {"collects every whole block", {.is_old = collects_all}}};
}

}  // namespace highwater::oracle
