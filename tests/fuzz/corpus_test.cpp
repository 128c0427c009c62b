#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/fuzz/reader.hpp"

// Replays what the fuzzers began with and what they found. A fault ends the program, and its last
// words name the input.
namespace highwater::fuzz {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::TestWithParam<Reader> {
 protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    const fs::path folder = fs::path(HIGHWATER_FUZZ_CORPUS) / GetParam().name;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    return files;
  }
  bool takes(const std::string& text) const { return GetParam().takes(text); }
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr int kMany = 200'000;

TEST_P(Corpus, EveryInputIsTakenOrRefused) {
  for (const fs::path& file : files()) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(takes(read(file)));
  }
}

TEST_P(Corpus, GoodFilesAreTaken) {
  int good = 0;
  for (const fs::path& file : files()) {
    if (!file.filename().string().starts_with("good")) continue;
    ++good;
    EXPECT_TRUE(takes(read(file))) << file;
  }
  EXPECT_GT(good, 0);
}

TEST_P(Corpus, EveryPartOfAFileIsTakenOrRefused) {
  for (const fs::path& file : files()) {
    const std::string text = read(file);
    for (std::size_t end = 0; end < text.size(); end += 1 + text.size() / 97)
      EXPECT_NO_THROW(takes(text.substr(0, end))) << file << " up to " << end;
  }
}

// Some readers may take one of these: an empty list of answers is a list.
TEST_P(Corpus, WhatOverflowsStacksAndNumbersIsTakenOrRefused) {
  const std::string digits(1000, '9');
  for (const std::string& text :
       {std::string(), std::string(1, '\0'), std::string("\xff\xfe\xfd"), repeated("[", kMany),
        repeated("{\"a\":", kMany), repeated("a.", kMany) + "a=1", "a=" + repeated("[", kMany),
        "[" + repeated("a.", kMany) + "a]", "{\"sources\":[{\"keys\":[" + repeated("[", kMany),
        "{\"schema\":" + digits + "}", digits, std::string(kMany, '\n'), std::string(kMany, 'a')}) {
    EXPECT_NO_THROW(takes(text)) << text.substr(0, 40);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Corpus, ::testing::ValuesIn(readers()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace highwater::fuzz
