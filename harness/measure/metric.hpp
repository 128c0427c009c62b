#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace highwater {

enum class Unit { bytes, nanoseconds, count };
enum class MetricKind { exact, noisy };

/// On which device kinds a metric is held against its baseline.
enum class Gated { never, exact_devices, everywhere };

/// A metric is declared once; JSON keys, tables, tolerances and documents follow from this row.
/// Every metric is smaller-is-better or informative.
struct Metric {
  std::string_view id;
  Unit unit;
  MetricKind kind;
  Gated gated;
  std::string_view meaning;
};

/// All metrics, in the order of tables.
std::span<const Metric> metrics();

/// nullptr where the id is not a metric.
const Metric* find_metric(std::string_view id);

std::vector<std::string> metric_ids();

/// Whether the gate holds this metric on this device kind ("cuda", "sim", "cpu").
bool is_gated(const Metric& metric, std::string_view device_kind);

/// Largest |value - baseline| that a new baseline row allows. Exact devices (sim, cpu): 0. On cuda
/// max(1 %, 2 MiB): public suites on real cards see allocator noise below that between drivers.
std::int64_t default_tolerance(const Metric& metric, std::string_view device_kind,
                               std::int64_t baseline);

std::string_view unit_name(Unit unit);

}  // namespace highwater
