#include "harness/report/module_tree.hpp"

#include <algorithm>
#include <cctype>

namespace highwater {
namespace {

struct Tree {
  ModuleNode node;
  std::map<std::string, Tree> children;
};

void count(ModuleNode& node, const MemoryPart& part) {
  node.bytes += part.bytes;
  node.by_category[part.category] += part.bytes;
}

void insert(Tree& tree, const MemoryPart& part, std::string_view path, std::size_t depth) {
  count(tree.node, part);
  if (path.empty() || tree.node.depth == depth) return;
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string name(path.substr(0, dot));
  Tree& child = tree.children[name];
  child.node.name = name;
  child.node.depth = tree.node.depth + 1;
  insert(child, part, path.substr(std::min(dot + 1, path.size())), depth);
}

/// A number, or -1.
long number_of(const std::string& name) {
  const bool digits = std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
  return digits && name.size() < 9 ? std::stol(name) : -1;
}

bool comes_before(const Tree* a, const Tree* b) {
  const long left = number_of(a->node.name);
  const long right = number_of(b->node.name);
  if (left >= 0 && right >= 0) return left < right;
  if (a->node.bytes != b->node.bytes) return a->node.bytes > b->node.bytes;
  return a->node.name < b->node.name;
}

void flatten(const Tree& tree, std::vector<ModuleNode>& nodes) {
  nodes.push_back(tree.node);
  std::vector<const Tree*> children;
  for (const auto& [name, child] : tree.children) children.push_back(&child);
  std::ranges::sort(children, comes_before);
  for (const Tree* child : children) flatten(*child, nodes);
}

}  // namespace

std::vector<ModuleNode> module_tree(const std::vector<MemoryPart>& parts, std::size_t depth) {
  Tree root;
  root.node.name = "model";
  for (const MemoryPart& part : parts) insert(root, part, part.module, depth);
  std::vector<ModuleNode> nodes;
  flatten(root, nodes);
  return nodes;
}

}  // namespace highwater
