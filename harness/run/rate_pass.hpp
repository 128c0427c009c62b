#pragma once

#include <string>
#include <vector>

#include "harness/measure/rate.hpp"

namespace highwater {

/// Times matrix products, elementwise work and copies on the device, by a synchronised wall clock.
/// On a simulated GPU the times mean nothing; the list is the same.
std::vector<Rate> measure_rates(const std::string& device);

}  // namespace highwater
