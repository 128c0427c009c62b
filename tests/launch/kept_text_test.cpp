#include "harness/launch/kept_text.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

TEST(KeptText, AShortTextIsKeptWhole) {
  KeptText text(3, 3);
  text.append("ab");
  text.append("cdef");
  EXPECT_EQ(text.text(), "abcdef");
  EXPECT_TRUE(text.is_whole());
}

TEST(KeptText, OfALongTextStartAndEndAreKeptWithACountBetween) {
  KeptText text(3, 3);
  for (const char* part : {"ab", "cd", "efgh", "i"}) text.append(part);
  EXPECT_EQ(text.text(), "abc\n[3 bytes left out]\nghi");
  EXPECT_FALSE(text.is_whole());
}

}  // namespace
}  // namespace highwater
