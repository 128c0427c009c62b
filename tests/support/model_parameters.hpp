#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/workload/registry.hpp"

namespace highwater {

/// For test suites that run over every registered model.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& model : ModelRegistry::instance().all()) names.push_back(model.name);
  return names;
}

inline std::string model_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace highwater
