#include "harness/report/module_tree.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

const std::vector<MemoryPart> kParts = {{"block.10", "saved_activations", 30, 1},
                                        {"block.2.qkv", "parameters", 10, 1},
                                        {"block.2", "saved_activations", 5, 1},
                                        {"head", "parameters", 7, 1},
                                        {kUnattributed, kUnattributed, 100, 2}};

std::vector<std::pair<std::string, Bytes>> rows(std::size_t depth) {
  std::vector<std::pair<std::string, Bytes>> rows;
  for (const ModuleNode& node : module_tree(kParts, depth)) {
    rows.emplace_back(std::string(node.depth, '.') + node.name, node.bytes);
  }
  return rows;
}

using Rows = std::vector<std::pair<std::string, Bytes>>;

TEST(ModuleTree, EachNodeHoldsAllBelowItAndTheRootEverything) {
  EXPECT_EQ(rows(3), (Rows{{"model", 152},
                           {".unattributed", 100},
                           {".block", 45},
                           {"..2", 15},
                           {"...qkv", 10},
                           {"..10", 30},
                           {".head", 7}}));
}

TEST(ModuleTree, WhatLiesDeeperCountsIntoItsParent) {
  EXPECT_EQ(rows(1), (Rows{{"model", 152}, {".unattributed", 100}, {".block", 45}, {".head", 7}}));
}

TEST(ModuleTree, CategoriesAreKeptApart) {
  const ModuleNode block = module_tree(kParts, 2).at(2);
  EXPECT_EQ(block.by_category.at("parameters"), 10);
  EXPECT_EQ(block.by_category.at("saved_activations"), 35);
}

TEST(ModuleTree, OfNothingIsTheRoot) { EXPECT_EQ(module_tree({}, 2).size(), 1U); }

}  // namespace
}  // namespace highwater
