#include "harness/workload/technique.hpp"

namespace highwater {

std::string to_text(NumericsClass numerics) {
  switch (numerics) {
    case NumericsClass::bit_equal:
      return "bit_equal";
    case NumericsClass::tolerance:
      return "tolerance";
    case NumericsClass::different_by_design:
      return "different_by_design";
  }
  return "";
}

}  // namespace highwater
