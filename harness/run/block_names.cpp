#include "harness/run/block_names.hpp"

#include <map>
#include <tuple>

#include "harness/run/workspace_blocks.hpp"
#include "harness/workload/scoped_module.hpp"

namespace highwater {
namespace {

/// "block0.qkv.weight" -> "block.0.qkv".
std::string owner_of(const std::string& tensor) {
  return module_path(tensor.substr(0, std::min(tensor.rfind('.'), tensor.size())));
}

}  // namespace

void BlockNames::add(const at::Tensor& tensor, Category category, const std::string& module) {
  if (!tensor.defined()) return;
  const auto block = recorder_.block_at(tensor.storage().data());
  if (!block) return;
  categories_.emplace(*block, category);
  modules_.emplace(*block, module);
}

void BlockNames::add_gradients(const Workload& workload) {
  if (const auto* buckets = workload.runner->buckets()) {
    for (const at::Tensor& bucket : buckets->tensors()) {
      add(bucket, Category::gradients, "gradient buckets");
    }
  }
  for (const auto& parameter : workload.model->named_parameters()) {
    add(parameter.value().grad(), Category::gradients, owner_of(parameter.key()));
  }
}

void BlockNames::add_replaced(const Workload& workload) {
  for (const at::Tensor& tensor : workload.runner->prefetched()) {
    add(tensor, Category::inputs, "batch");
  }
  for (const auto& buffer : workload.model->named_buffers()) {
    add(buffer.value(), Category::buffers, owner_of(buffer.key()));
  }
}

void BlockNames::add_lasting(const Workload& workload) {
  for (const auto& parameter : workload.model->named_parameters()) {
    add(parameter.value(), Category::parameters, owner_of(parameter.key()));
  }
  for (const at::Tensor& tensor : workload.runner->state_tensors()) {
    add(tensor, Category::optimizer_state, "optimizer");
  }
  for (const auto& buffer : workload.model->named_buffers()) {
    add(buffer.value(), Category::buffers, owner_of(buffer.key()));
  }
  for (const at::Tensor& tensor : workload.batch.inputs) add(tensor, Category::inputs, "batch");
  add(workload.batch.targets, Category::inputs, "batch");
}

Bytes BlockNames::add_workspaces(const DeviceSession& session) {
  Bytes bytes = 0;
  for (const auto& [block, size] : clear_workspace_blocks(session, recorder_)) {
    categories_.emplace(block, Category::workspaces);
    modules_.emplace(block, "workspaces");
    bytes += size;
  }
  return bytes;
}

std::string BlockNames::module_of(const BlockAtPeak& block, const AllocationLog& log) const {
  if (const auto named = modules_.find(block.block); named != modules_.end()) return named->second;
  const auto origin = log.origins.find(block.block);
  if (origin != log.origins.end() && !origin->second.module.empty()) return origin->second.module;
  return block.born ? std::string(to_text(*block.born)) : kUnattributed;
}

std::string BlockNames::op_of(const BlockAtPeak& block, const AllocationLog& log) const {
  const auto origin = log.origins.find(block.block);
  const bool says_more = origin != log.origins.end() && !categories_.contains(block.block);
  return says_more ? origin->second.op : "";
}

PeakProfile profile_of(const PeakAttribution& peak, const AllocationLog& log,
                       const BlockNames& names) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, PeakPart> parts;
  for (const BlockAtPeak& block : peak.blocks) {
    const Key key(kCategoryNames[static_cast<std::size_t>(block.category)],
                  block.born ? std::string(to_text(*block.born)) : kBeforeTheStep,
                  names.module_of(block, log), names.op_of(block, log));
    PeakPart& part = parts[key];
    std::tie(part.category, part.phase, part.module, part.op) = key;
    part.bytes += block.size;
    ++part.blocks;
  }
  PeakProfile profile;
  for (auto& [key, part] : parts) profile.push_back(std::move(part));
  return profile;
}

}  // namespace highwater
