#include "harness/measure/operation_trace.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace highwater {
namespace {

/// An operator, an autograd node or a module scope that a thread is in.
struct Frame {
  std::string op;      ///< empty of a module scope
  std::string module;  ///< empty where not known
  bool is_node = false;
};

thread_local std::vector<Frame> frames;

/// Which module made which autograd nodes. A node knows its thread and its number in it.
class NodeModules {
 public:
  void add(std::uint64_t first, std::uint64_t end, const std::string& module) {
    const std::scoped_lock lock(mutex_);
    // Before an inner scope that began with the same node.
    const Key key(at::RecordFunction::currentThreadId(), first);
    ranges_.emplace_hint(ranges_.lower_bound(key), key, Range{end, module});
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    ranges_.clear();
  }

  std::string find(std::uint64_t thread, std::uint64_t node) const {
    const std::scoped_lock lock(mutex_);
    // Scopes may nest: the innermost began last among those that had not ended.
    for (auto range = ranges_.upper_bound(Key(thread, node)); range != ranges_.begin();) {
      --range;
      if (range->first.first != thread) break;
      if (node < range->second.end) return range->second.module;
    }
    return {};
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< thread and first node
  struct Range {
    std::uint64_t end;
    std::string module;
  };
  mutable std::mutex mutex_;
  std::multimap<Key, Range> ranges_;
};

/// Never destroyed: autograd's threads outlive main.
NodeModules& node_modules() {
  static NodeModules& instance = *new NodeModules;
  return instance;
}

/// Autograd's engine sums gradients under a name of its own before the node's.
std::string plain_name(std::string_view name) {
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
  return std::string(name.substr(name.starts_with(kEngine) ? kEngine.size() : 0));
}

std::unique_ptr<at::ObserverContext> begin_op(const at::RecordFunction& function) {
  const bool is_node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  const bool is_numbered = is_node && function.seqNr() >= 0;
  frames.push_back(
      {.op = plain_name(function.name()),
       .module = is_numbered ? node_modules().find(function.forwardThreadId(),
                                                   static_cast<std::uint64_t>(function.seqNr()))
                             : "",
       .is_node = is_node});
  return nullptr;
}

void end_op(const at::RecordFunction&, at::ObserverContext*) {
  // A function that began before the tracing has no frame.
  if (!frames.empty()) frames.pop_back();
}

bool only_allocates(const std::string& op) {
  return op.starts_with("aten::empty") || op.starts_with("aten::new_empty") ||
         op.starts_with("aten::resize_") || op == "aten::to" || op == "aten::_to_copy";
}

/// Two callbacks would name every operator twice.
struct Traces {
  std::mutex mutex;
  std::atomic<int> count = 0;
  at::CallbackHandle callback = 0;
} traces;

/// Where the text of an operator begins: the innermost autograd node, else the outermost operator.
std::vector<Frame>::const_iterator outermost_of_interest() {
  const auto node = std::ranges::find_if(frames.rbegin(), frames.rend(), &Frame::is_node);
  if (node != frames.rend()) return node.base() - 1;
  return std::ranges::find_if(frames, [](const Frame& frame) { return !frame.op.empty(); });
}

std::string operator_text() {
  const auto first = outermost_of_interest();
  if (first == frames.cend()) return {};
  for (auto frame = frames.cend() - 1; frame > first; --frame) {
    if (!frame->op.empty() && !only_allocates(frame->op)) return first->op + " > " + frame->op;
  }
  return first->op;
}

}  // namespace

OperationTrace::OperationTrace() {
  const std::scoped_lock lock(traces.mutex);
  if (traces.count++ > 0) return;
  traces.callback = at::addGlobalCallback(
      at::RecordFunctionCallback(begin_op, end_op)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

OperationTrace::~OperationTrace() {
  const std::scoped_lock lock(traces.mutex);
  if (--traces.count > 0) return;
  at::removeCallback(traces.callback);
  node_modules().clear();
}

std::string running_operator() {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!frame->op.empty()) return frame->op;
  }
  return {};
}

ModuleScope::ModuleScope(const std::string& module) : module_(traces.count > 0 ? module : "") {
  if (module_.empty()) return;
  first_node_ = at::sequence_number::peek();
  frames.push_back({.op = "", .module = module, .is_node = false});
}

ModuleScope::~ModuleScope() {
  if (module_.empty()) return;
  frames.pop_back();
  node_modules().add(first_node_, at::sequence_number::peek(), module_);
}

Origin current_origin() {
  Origin origin{.module = "", .op = operator_text()};
  for (auto frame = frames.rbegin(); frame != frames.rend() && origin.module.empty(); ++frame) {
    origin.module = frame->module;
  }
  return origin;
}

}  // namespace highwater
