#pragma once

#include <cstdint>
#include <string>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"

namespace highwater::testing_fakes {

/// "<model>/full/<technique>/sim:h200"
std::string sample_id(const std::string& technique, const std::string& model = "m");

/// A measured cell on sim:h200 with this peak, no leak and reserved = peak.
CellRecord sample_record(const std::string& technique, std::int64_t peak,
                         const std::string& model = "m");

/// A baseline row, approved at its low end, without tolerance.
BaselineRow sample_row(const std::string& cell, const std::string& metric, const Ends& value,
                       const std::string& date = "2026-01-01", const std::string& reason = "first");

/// A run of these cells on testbeds "bed" (sim:h200), "cpubed" (cpu) and "cudabed" (cuda).
RunRecord sample_run(std::vector<CellRecord> records);

/// The verdict of a cell. Fails the test where there is none.
Verdict verdict_on(const std::vector<Verdict>& verdicts, const std::string& cell);

}  // namespace highwater::testing_fakes
