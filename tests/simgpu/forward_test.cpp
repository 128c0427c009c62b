#include "simgpu/device/forward.h"

#include <gtest/gtest.h>

#include <string>

namespace {

int searches = 0;

/// More arguments of each kind than there are registers, so some lie on the stack.
double weigh(int a, int b, int c, int d, int e, int f, int g, double h, double i, double j,
             double k, double l, double m, double n, double o, double p) {
  const double integers = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
  return integers + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}

}  // namespace

extern "C" {

void* find_weigh(const char* name) {
  ++searches;
  return std::string(name) == "forwarded_weigh" ? reinterpret_cast<void*>(weigh) : nullptr;
}

SIMGPU_FORWARD(forwarded_weigh, find_weigh)
}

TEST(Forward, PassesEveryArgumentOnAndSearchesOnce) {
  const auto forwarded = reinterpret_cast<decltype(&weigh)>(&forwarded_weigh);
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(forwarded(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
              weigh(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
  EXPECT_EQ(searches, 1);
}
