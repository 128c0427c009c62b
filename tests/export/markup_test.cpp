#include "harness/export/markup.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

TEST(MarkupText, WritesMarkUpCharactersAsReferences) {
  EXPECT_EQ(markup_text("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(MarkupText, DropsControlCharactersAndWritesLineEndsAsBlanks) {
  EXPECT_EQ(markup_text(std::string("a\0b\x1b[31mc\x7f\n\td\r\xC2\x9B", 16)), "ab[31mc  d ");
}

TEST(MarkupText, DropsWhatXmlHasNoPlaceForAndWhatTurnsTheReadingDirection) {
  EXPECT_EQ(markup_text("a\uFFFE\uFFFF\u202E\u2066\u200F\u2028z"), "az");
}

TEST(MarkupText, KeepsOtherWritingOfEveryLength) { EXPECT_EQ(markup_text("é–漢🜁"), "é–漢🜁"); }

TEST(MarkupText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(markup_text("a\xFFz\xE2\x82"), "a\uFFFDz\uFFFD");
}

TEST(Shortened, KeepsATextThatFits) {
  EXPECT_EQ(shortened("漢字漢", 3), "漢字漢");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Shortened, EndsALongerOneAtACodePoint) { EXPECT_EQ(shortened("漢字漢字", 3), "漢字…"); }

}  // namespace
}  // namespace highwater
