#include "fidelity/allocator/settings.hpp"

#include <algorithm>
#include <sstream>

namespace highwater::oracle {
namespace {

/// "[1:4,2:4,...,32768:8,>:8]": sizes in MiB.
std::string list_of(const Settings& settings) {
  std::ostringstream list;
  for (std::size_t power = 0; power < settings.power2_divisions.size(); ++power)
    list << (power == 0 ? '[' : ',') << (1u << power) << ':' << settings.power2_divisions[power];
  list << ",>:" << settings.power2_divisions.back() << ']';
  return list.str();
}

}  // namespace

std::string to_configuration(const Settings& settings) {
  std::ostringstream text;
  text << "expandable_segments:" << (settings.expandable_segments ? "True" : "False")
       << ",large_segment_size_mb:" << settings.large_segment_bytes / mib;
  if (settings.max_split_bytes != unlimited)
    text << ",max_split_size_mb:" << settings.max_split_bytes / mib
         << ",max_non_split_rounding_mb:" << settings.max_non_split_rounding_bytes / mib;
  if (settings.garbage_collection_threshold > 0)
    text << ",garbage_collection_threshold:" << settings.garbage_collection_threshold;
  if (std::ranges::any_of(settings.power2_divisions, [](auto count) { return count > 0; }))
    text << ",roundup_power2_divisions:" << list_of(settings);
  return text.str();
}

}  // namespace highwater::oracle
