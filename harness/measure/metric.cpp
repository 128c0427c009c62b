#include "harness/measure/metric.hpp"

#include <cstdint>
#include <algorithm>
#include <array>

#include "harness/core/bytes.hpp"

namespace highwater {
namespace {

using enum Unit;
using enum MetricKind;
using enum Gated;
using namespace literals;

constexpr std::array kMetrics = {
    Metric{"peak_allocated_bytes", bytes, exact, everywhere,
           "highest allocated bytes of a steady step"},
    Metric{"peak_reserved_bytes", bytes, exact, exact_devices,
           "highest bytes the allocator held from the device in a steady step"},
    Metric{"peak_requested_bytes", bytes, exact, never,
           "highest bytes asked for, before rounding to blocks, in a steady step"},
    Metric{"peak_active_bytes", bytes, exact, never,
           "highest allocated bytes plus blocks still waiting for a stream"},
    Metric{"first_step_peak_allocated_bytes", bytes, exact, never,
           "peak of the first step, before optimizer state meets activations"},
    Metric{"second_step_peak_allocated_bytes", bytes, exact, never, "peak of the second step"},
    Metric{"forward_peak_allocated_bytes", bytes, exact, never, "peak inside the forward phase"},
    Metric{"backward_peak_allocated_bytes", bytes, exact, never, "peak inside the backward phase"},
    Metric{"optimizer_peak_allocated_bytes", bytes, exact, never,
           "peak inside the optimizer phase"},
    Metric{"optimizer_temporary_bytes", bytes, exact, never,
           "requested bytes that the optimizer phase took and freed again, at its highest"},
    Metric{"zero_grad_peak_allocated_bytes", bytes, exact, never,
           "peak inside the zero_grad phase"},
    Metric{"rest_allocated_bytes", bytes, exact, never, "allocated bytes between two steady steps"},
    Metric{"leak_bytes", bytes, exact, everywhere,
           "growth of rest_allocated_bytes from the first measured step to the last"},
    Metric{"teardown_bytes", bytes, exact, never,
           "bytes left after everything was dropped and workspaces cleared"},
    Metric{"parameters_bytes", bytes, exact, never, "bytes of all parameters"},
    Metric{"gradients_bytes", bytes, exact, never,
           "bytes of all parameter gradients after backward"},
    Metric{"optimizer_state_bytes", bytes, exact, never,
           "bytes of optimizer state and gradient scaler"},
    Metric{"buffers_bytes", bytes, exact, never,
           "bytes of non-trained model tensors (BatchNorm statistics, masks)"},
    Metric{"inputs_bytes", bytes, exact, never, "bytes of the example batch"},
    Metric{"activations_after_forward_bytes", bytes, exact, never,
           "requested bytes that the forward phase left behind for backward"},
    Metric{"workspaces_bytes", bytes, exact, never, "bytes of cuBLAS and cuBLASLt workspaces"},
    Metric{"at_peak_parameters_bytes", bytes, exact, never, "of the peak: parameters"},
    Metric{"at_peak_gradients_bytes", bytes, exact, never, "of the peak: gradients"},
    Metric{"at_peak_optimizer_state_bytes", bytes, exact, never,
           "of the peak: optimizer state and gradient scaler"},
    Metric{"at_peak_buffers_bytes", bytes, exact, never, "of the peak: non-trained model tensors"},
    Metric{"at_peak_inputs_bytes", bytes, exact, never, "of the peak: the example batch"},
    Metric{"at_peak_saved_activations_bytes", bytes, exact, never,
           "of the peak: kept from forward for backward"},
    Metric{
        "at_peak_temporaries_bytes", bytes, exact, never,
        "of the peak: other blocks born and freed in the step (recomputed activations included)"},
    Metric{"at_peak_workspaces_bytes", bytes, exact, never,
           "of the peak: cuBLAS and cuBLASLt workspaces"},
    Metric{"at_peak_unattributed_bytes", bytes, exact, never, "of the peak: no name found"},
    Metric{"fragmentation_bytes", bytes, exact, never,
           "reserved minus allocated after the last steady step"},
    Metric{"alloc_retries", count, exact, never,
           "allocations that succeeded only after the cache was flushed"},
    Metric{"oom_retries", count, exact, never,
           "steps that ran out of memory and were tried again with half the micro-batch"},
    Metric{"replica_bytes", bytes, exact, never,
           "copied to further devices in every forward: parameters and buffers"},
    Metric{"gradient_buckets_bytes", bytes, exact, never,
           "in which gradients are averaged: beside them, or what they are views of"},
    Metric{"second_device_peak_allocated_bytes", bytes, exact, never,
           "highest allocated bytes of a steady step on the second device"},
    Metric{"device_skew_bytes", bytes, exact, never,
           "peak of the first device minus that of the second"},
    Metric{"step_time_nanoseconds", nanoseconds, noisy, never,
           "median time of a step, synchronised"},
    Metric{"step_time_mad_nanoseconds", nanoseconds, noisy, never,
           "median absolute deviation of the step time"},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view id) {
  const auto* row = std::ranges::find(kMetrics, id, &Metric::id);
  return row == kMetrics.end() ? nullptr : row;
}

std::vector<std::string> metric_ids() {
  std::vector<std::string> ids;
  for (const Metric& metric : kMetrics) ids.emplace_back(metric.id);
  return ids;
}

bool is_gated(const Metric& metric, std::string_view device_kind) {
  return metric.gated == everywhere || (metric.gated == exact_devices && device_kind != "cuda");
}

std::int64_t default_tolerance(const Metric& metric, std::string_view device_kind,
                               std::int64_t baseline) {
  if (device_kind != "cuda" || metric.id == "leak_bytes") return 0;
  return std::max<std::int64_t>(baseline / 100, 2_MiB);
}

std::string_view unit_name(Unit unit) {
  constexpr std::array<std::string_view, 3> kNames = {"bytes", "nanoseconds", "count"};
  return kNames[static_cast<std::size_t>(unit)];
}

}  // namespace highwater
