#include "harness/report/table.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

const Table kTable{
    "t", {{"name"}, {"n", Align::right}, {"note"}}, {{"a", "10", "x|y"}, {"µs", "7", ""}}};

TEST(Table, TextAlignsColumnsAndEndsLinesWithoutBlanks) {
  EXPECT_EQ(to_text(kTable),
            "t\n"
            "name   n  note\n"
            "a     10  x|y\n"
            "µs     7\n");
}

TEST(Table, MarkdownEscapesPipesAndMarksAlignment) {
  EXPECT_EQ(to_markdown(kTable),
            "### t\n\n"
            "| name | n | note |\n"
            "| --- | ---: | --- |\n"
            "| a | 10 | x\\|y |\n"
            "| µs | 7 |  |\n");
}

}  // namespace
}  // namespace highwater
