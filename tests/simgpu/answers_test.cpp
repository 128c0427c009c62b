#include "simgpu/device/answers.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "simgpu/device/operators.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

template <class Value>
Value read(Answers& answers, std::string_view operator_name) {
  unsigned char bytes[sizeof(Value)];
  answers.answer(operator_name, bytes);
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::string complaint_about(std::string_view text) {
  try {
    Answers answers(text, "reads.txt");
    read<std::int32_t>(answers, "aten::item");
    return "no complaint";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Answers, GivesPlainLinesOnceInOrderThenZeros) {
  Answers answers("# first\ni32 5\n\ni32 6  # and then\n", "reads.txt");
  EXPECT_EQ(read<std::int32_t>(answers, "aten::item"), 5);
  EXPECT_EQ(read<std::int32_t>(answers, ""), 6);
  EXPECT_EQ(read<std::int32_t>(answers, "aten::item"), 0);
}

TEST(Answers, RepeatsTheLastLineOfAnOperator) {
  Answers answers("u8 9\naten::item f32 2.5\naten::item f32 -1\n", "reads.txt");
  EXPECT_EQ(read<float>(answers, "aten::item"), 2.5f);
  EXPECT_EQ(read<std::uint8_t>(answers, "aten::other"), 9);
  EXPECT_EQ(read<float>(answers, "aten::item"), -1.f);
  EXPECT_EQ(read<float>(answers, "aten::item"), -1.f);
}

TEST(Answers, FillsTheReadWithItsValues) {
  Answers answers("u8 1 2", "reads.txt");
  EXPECT_EQ(read<std::uint32_t>(answers, ""), 0x02010201u);
}

TEST(Answers, RefusesLinesThatAreNoAnswer) {
  for (const char* text : {"f32", "aten::item", "aten::item f32", "f32 x", "u8 256", "f99 1"})
    EXPECT_NE(complaint_about(text).find("line 1 of reads.txt (SIMGPU_READS) must be"),
              std::string::npos)
        << text;
}

TEST(Answers, RefusesAnAnswerThatDoesNotFillTheRead) {
  EXPECT_EQ(complaint_about("\ni64 1"),
            "line 2 of reads.txt (SIMGPU_READS) answers with 8 bytes, but aten::item reads 4.");
}

TEST(Operators, AreReadFromTheSymbolOfTheirEntry) {
  EXPECT_EQ(operator_of_symbol("_ZN2at4_ops7nonzero4callERKNS_6TensorE"), "aten::nonzero");
  EXPECT_EQ(operator_of_symbol("_ZN2at4_ops19_local_scalar_dense10redispatchEv"),
            "aten::_local_scalar_dense");
  EXPECT_EQ(operator_of_symbol("_ZN2at6native7nonzeroEv"), "");
  EXPECT_EQ(operator_of_symbol("_ZN2at4_ops99shortE"), "");
  EXPECT_EQ(operator_of_symbol("main"), "");
}

}  // namespace
}  // namespace simgpu
