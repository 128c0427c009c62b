#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace testing_support {

/// A path for a file of the running test alone: CTest runs tests of one program side by side, and
/// two that wrote to one name read each other's file. The process of a death test gets its
/// parent's.
inline std::string own_path(const std::string& name) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string prefix = std::string(test.test_suite_name()) + "." + test.name() + "-";
  std::ranges::replace(prefix, '/', '_');
  return testing::TempDir() + prefix + name;
}

}  // namespace testing_support
