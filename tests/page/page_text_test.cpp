#include "harness/page/page_text.hpp"

#include <gtest/gtest.h>

#include "harness/page/page_document.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

const std::string kHostile =
    "</script><script>alert(1)</script><!--<script>]]>&lt;\xe2\x80\xa8\xe2\x80\xa9\"'\\\x01{facts}";
const std::string kOpening = R"(<script type="application/json" id="facts">)";

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What a browser takes for the text of the element: all until the first end tag.
std::string facts_in(const std::string& page) {
  const std::size_t begin = page.find(kOpening) + kOpening.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

TEST(ScriptJson, NothingInItEndsTheElementOrBeginsAComment) {
  const std::string text = script_json({{kHostile, kHostile}});
  for (const char* part : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    EXPECT_FALSE(says(text, part)) << part;
  }
}

TEST(ScriptJson, ItReadsBackAsTheSameValue) {
  const nlohmann::ordered_json json = {{kHostile, {kHostile, 1, nullptr}}, {"\xe2\x80\xa7", "é漢"}};
  EXPECT_EQ(nlohmann::ordered_json::parse(script_json(json)), json);
}

TEST(ScriptJson, BytesThatAreNoTextBecomeReplacementCharacters) {
  EXPECT_EQ(script_json({"a\xff"}), "[\"a\xef\xbf\xbd\"]");
}

TEST(PageText, HostileNamesStandInTheFactsAndNowhereElse) {
  const nlohmann::ordered_json document = {{"schema", kPageSchema}, {"name", kHostile}};
  const std::string page = page_text(document);
  EXPECT_EQ(nlohmann::ordered_json::parse(facts_in(page)), document);
  EXPECT_FALSE(says(page, "alert(1)</script>"));
}

TEST(PageText, EveryPlaceOfTheTemplateIsFilled) {
  const std::string page = page_text({{"schema", kPageSchema}});
  for (const char* mark : {"{facts}", "{page.css}", "{page.js}"}) {
    EXPECT_FALSE(says(page, mark)) << mark;
  }
  EXPECT_TRUE(says(page, "prefers-color-scheme: dark"));
  EXPECT_TRUE(says(page, "JSON.parse"));
}

TEST(PageText, NothingInItNamesAPlaceInANetwork) {
  const std::string page = page_text({{"schema", kPageSchema}});
  for (const char* part : {"http:", "https:", "src=", "@import", "url(", "fetch(", "innerHTML"}) {
    EXPECT_FALSE(says(page, part)) << part;
  }
  EXPECT_TRUE(says(page, "default-src 'none'"));
}

}  // namespace
}  // namespace highwater
