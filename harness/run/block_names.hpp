#pragma once

#include <string>
#include <unordered_map>

#include "harness/measure/allocation_log.hpp"
#include "harness/measure/allocation_recorder.hpp"
#include "harness/measure/peak_profile.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {

/// What is known of blocks by the tensors that lie in them. The first name of a block stays.
class BlockNames {
 public:
  explicit BlockNames(const AllocationRecorder& recorder) : recorder_(recorder) {}

  /// After a backward, while gradients are alive: they and their buckets.
  void add_gradients(const Workload& workload);
  /// Before the measured step: what that step replaces and the peak may still see.
  void add_replaced(const Workload& workload);
  /// After it: parameters, optimizer state, buffers and the batch.
  void add_lasting(const Workload& workload);
  /// Workspaces of the device's libraries, which this clears. Returns their bytes.
  Bytes add_workspaces(const DeviceSession& session);

  const std::unordered_map<BlockId, Category>& categories() const { return categories_; }
  /// By its tensor, else by where it was asked for, else its phase; never empty.
  std::string module_of(const BlockAtPeak& block, const AllocationLog& log) const;

  /// The operator that asked for it; empty where its tensor has a name, which says more.
  std::string op_of(const BlockAtPeak& block, const AllocationLog& log) const;

 private:
  void add(const at::Tensor& tensor, Category category, const std::string& module);

  const AllocationRecorder& recorder_;
  std::unordered_map<BlockId, Category> categories_;
  std::unordered_map<BlockId, std::string> modules_;
};

/// The parts of a peak, unfolded.
PeakProfile profile_of(const PeakAttribution& peak, const AllocationLog& log,
                       const BlockNames& names);

}  // namespace highwater
