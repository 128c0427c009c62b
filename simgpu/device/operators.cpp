#include "simgpu/device/operators.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>
#include <vector>

namespace simgpu {
namespace {

struct Operator {
  const char* name;
  bool has_read = false;
};

thread_local std::vector<Operator> entered;

std::string innermost_operator_on_stack() {
  constexpr int max_frames = 256;  // an operator is near: kernels and dispatch are some ten frames
  void* frames[max_frames];
  const int count = backtrace(frames, max_frames);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (dladdr(frames[i], &info) == 0 || info.dli_sname == nullptr) continue;
    if (std::string name = operator_of_symbol(info.dli_sname); !name.empty()) return name;
  }
  return {};
}

}  // namespace

/// The Itanium mangling of at::_ops::<name>::<entry>: nested names, each with its length in front.
std::string operator_of_symbol(const char* symbol) {
  constexpr std::string_view prefix = "_ZN2at4_ops";
  const std::string_view text = symbol;
  if (!text.starts_with(prefix)) return {};
  std::size_t length = 0;
  const char* const digits = text.data() + prefix.size();
  const auto [name, error] = std::from_chars(digits, text.data() + text.size(), length);
  if (error != std::errc{} || name + length > text.data() + text.size()) return {};
  return "aten::" + std::string(name, length);
}

void enter_operator(const char* name) { entered.push_back({name}); }

/// Operators that were entered before the probe started are left too.
void leave_operator() {
  if (!entered.empty()) entered.pop_back();
}

std::string innermost_operator() {
  return entered.empty() ? innermost_operator_on_stack() : entered.back().name;
}

void mark_operators_as_reading() {
  for (Operator& each : entered) each.has_read = true;
}

const char* operator_that_has_read() {
  const auto innermost_first = entered | std::views::reverse;
  const auto found = std::ranges::find_if(innermost_first, &Operator::has_read);
  return found == innermost_first.end() ? nullptr : found->name;
}

}  // namespace simgpu
