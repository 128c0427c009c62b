#include "harness/report/inspect_text.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

using namespace literals;

Inspection example() {
  return {.certainty = "measured",
          .peak_phase = "backward",
          .peak_bytes = 10_MiB,
          .rest_bytes = 4_MiB,
          .phases = {{"zero_grad", 4_MiB}, {"forward", 9_MiB}, {"backward", 10_MiB}},
          .parts = {{"block.0", "saved_activations", 5_MiB, 2},
                    {"block.0.qkv", "parameters", 2_MiB, 1},
                    {"optimizer", "optimizer_state", 2_MiB, 4},
                    {kUnattributed, kUnattributed, 1_MiB, 1}},
          .largest = {{3_MiB, "saved_activations", "block.0", "aten::linear", "forward"},
                      {2_MiB, "parameters", "block.0.qkv", "", "before"}},
          .allocator = {},
          .fragmentation = {}};
}

TEST(InspectText, IsThisOnTheCpu) {
  EXPECT_EQ(inspect_text("m/twin/baseline/cpu", example(), 2),
            "m/twin/baseline/cpu\n"
            "peak 10.0 MiB (10,485,760 B, measured) in phase backward\n"
            "\n"
            "What the peak is made of\n"
            "category              bytes                   %\n"
            "parameters          2.0 MiB   2,097,152  20.0 %\n"
            "gradients               0 B           0   0.0 %\n"
            "optimizer_state     2.0 MiB   2,097,152  20.0 %\n"
            "saved_activations   5.0 MiB   5,242,880  50.0 %\n"
            "unattributed        1.0 MiB   1,048,576  10.0 %\n"
            "peak               10.0 MiB  10,485,760\n"
            "\n"
            "Peak of each phase\n"
            "phase              bytes\n"
            "zero_grad        4.0 MiB   4,194,304\n"
            "forward          9.0 MiB   9,437,184\n"
            "backward        10.0 MiB  10,485,760\n"
            "after the step   4.0 MiB   4,194,304\n"
            "\n"
            "Module by module, at the peak\n"
            "module             bytes  parameters  gradients  optimizer  activations     rest\n"
            "model           10.0 MiB     2.0 MiB          -    2.0 MiB      5.0 MiB  1.0 MiB\n"
            "  block          7.0 MiB     2.0 MiB          -          -      5.0 MiB        -\n"
            "    0            7.0 MiB     2.0 MiB          -          -      5.0 MiB        -\n"
            "  optimizer      2.0 MiB           -          -    2.0 MiB            -        -\n"
            "  unattributed   1.0 MiB           -          -          -            -  1.0 MiB\n"
            "\n"
            "Largest blocks at the peak\n"
            "  bytes  category           module       born     operator\n"
            "3.0 MiB  saved_activations  block.0      forward  aten::linear\n"
            "2.0 MiB  parameters         block.0.qkv  before   -\n");
}

TEST(InspectText, OnACardHasTheFiguresOfFragmentation) {
  Inspection inspection = example();
  inspection.fragmentation = {.reserved_at_peak_bytes = 16_MiB,
                              .unused_at_peak_bytes = 6_MiB,
                              .largest_unused_bytes = 3_MiB,
                              .unused_blocks = 2,
                              .segments = 4};
  const std::string text = inspect_text("m", inspection, 2);
  EXPECT_NE(text.find("reserved at the peak                      16.0 MiB\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("largest unused block                       3.0 MiB\n"), std::string::npos);
}

TEST(Inspection, RoundTripsThroughJson) {
  Inspection inspection = example();
  inspection.allocator = AllocatorSummary{.retries = 3, .stats = {{"segment.all", {1, 2, 3, 4}}}};
  const nlohmann::json json = inspection;
  EXPECT_EQ(nlohmann::json(json.get<Inspection>()), json);
  EXPECT_TRUE(json.at("fragmentation").is_null());
  EXPECT_FALSE(json.get<Inspection>().fragmentation.has_value());
  EXPECT_EQ(json.get<Inspection>().allocator->stats.at("segment.all").freed, 4);
}

}  // namespace
}  // namespace highwater
