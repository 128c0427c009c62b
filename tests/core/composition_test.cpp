#include "harness/core/composition.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

TEST(Composition, NamesTechniquesInOrderEachWithItsNumberIfAny) {
  const auto terms = parse_composition("set_to_none+gradient_accumulation:8");
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_EQ(terms[0].name, "set_to_none");
  EXPECT_EQ(terms[0].value, std::nullopt);
  EXPECT_EQ(terms[1].name, "gradient_accumulation");
  EXPECT_EQ(terms[1].value, 8);
}

TEST(Composition, KeepsEmptyNamesForTheOneWhoLooksThemUp) {
  EXPECT_EQ(parse_composition("").size(), 1U);
  EXPECT_EQ(parse_composition("a+").at(1).name, "");
}

TEST(Composition, ANumberHasOneSpelling) {
  for (const char* text :
       {"a:", "a:x", "a:8x", "a:08", "a:+8", "a: 8", "a:8:8", "a:8.0", "a:99999999999999999999"}) {
    EXPECT_THROW(parse_composition(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace highwater
