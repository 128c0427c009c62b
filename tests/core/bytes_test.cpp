#include "harness/core/bytes.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

using namespace literals;

TEST(Bytes, AreShownInBinaryUnits) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(4_MiB), "4.0 MiB");
  EXPECT_EQ(format_bytes(11_GiB + 368_MiB), "11.36 GiB");
  EXPECT_EQ(format_bytes(-1536), "-1.5 KiB");
}

TEST(Bytes, MoveToTheNextUnitWhereRoundingWouldReach1024) {
  EXPECT_EQ(format_bytes(1_MiB - 1), "1.0 MiB");
}

TEST(Bytes, ShowTheSignOfAChange) {
  EXPECT_EQ(format_bytes_change(4_MiB), "+4.0 MiB");
  EXPECT_EQ(format_bytes_change(-4_MiB), "-4.0 MiB");
  EXPECT_EQ(format_bytes_change(0), "0 B");
}

TEST(Bytes, AreGroupedByThreeDigits) {
  EXPECT_EQ(group_digits(1073741824), "1,073,741,824");
  EXPECT_EQ(group_digits(-123456), "-123,456");
  EXPECT_EQ(group_digits(999), "999");
}

TEST(Bytes, AreReadWithAndWithoutUnitAndBlank) {
  EXPECT_EQ(parse_bytes("500MiB"), 500_MiB);
  EXPECT_EQ(parse_bytes("1.5 GiB"), 1536_MiB);
  EXPECT_EQ(parse_bytes(" 4096 B "), 4096);
  EXPECT_EQ(parse_bytes("4096"), 4096);
}

TEST(Bytes, StayExactBeyondWhatADoubleHolds) {
  EXPECT_EQ(parse_bytes("9007199254740993"), 9007199254740993);
}

TEST(Bytes, RefuseDecimalUnitsAndNonsense) {
  for (const char* text :
       {"1GB", "1 MB", "1kb", "", "MiB", "-1", "1.5", "1..5MiB", "1MiB2", "9e3", "99999999TiB"}) {
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  }
}

TEST(Bytes, SayWhichUnitsAreAccepted) {
  try {
    parse_bytes("2GB");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("\"2GB\""), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos);
  }
}

TEST(Bytes, ADifferenceStaysWithinWhatANumberCanSay) {
  constexpr Bytes kMost = std::numeric_limits<Bytes>::max();
  constexpr Bytes kLeast = std::numeric_limits<Bytes>::min();
  EXPECT_EQ(difference(3, 5), -2);
  EXPECT_EQ(difference(kMost, -1), kMost);
  EXPECT_EQ(difference(kLeast, 1), kLeast);
}

}  // namespace
}  // namespace highwater
