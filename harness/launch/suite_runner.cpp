#include "harness/launch/suite_runner.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/launch/cell_process.hpp"

namespace highwater {
namespace {

constexpr int kMostJobsByDefault = 2;

CellOutcome skipped(const std::string& reason) {
  CellOutcome outcome;
  outcome.kind = OutcomeKind::skipped;
  outcome.reason = reason;
  return outcome;
}

/// The work of one run, shared by its threads.
class Runner {
 public:
  Runner(const std::vector<PlannedCell>& plan, const RunnerOptions& options,
         std::atomic<bool>& stop, Progress& progress, const OnOutcome& on_outcome)
      : plan_(plan),
        options_(options),
        stop_(stop),
        progress_(progress),
        on_outcome_(on_outcome),
        outcomes_(plan.size()) {}

  bool run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    if (!error_) hand_on_rest();
    if (error_) std::rethrow_exception(error_);
    return handed_on_ == plan_.size();
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < plan_.size() && !stop_; i = next_++) {
      try {
        run_one(i);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }

  void run_one(std::size_t index) {
    const PlannedCell& planned = plan_[index];
    const std::string id = cell_id(planned.cell);
    if (!planned.skip_reason.empty()) return finish(index, skipped(planned.skip_reason), {});
    progress_.started(id);
    const MeasuredCell cell = measure_cell(planned.cell, options_.protocol, options_.paths, stop_);
    if (!cell.interrupted) finish(index, cell.outcome, cell.wall);
    keep_log(planned.cell, cell.log);
  }

  void finish(std::size_t index, CellOutcome outcome, std::chrono::duration<double> wall) {
    progress_.finished(cell_id(plan_[index].cell), outcome, wall);
    const std::lock_guard lock(mutex_);
    outcomes_[index] = std::move(outcome);
    while (handed_on_ < plan_.size() && outcomes_[handed_on_]) hand_on(handed_on_);
  }

  // Only after a stop: cells that finished behind a gap.
  void hand_on_rest() {
    const std::size_t gap = handed_on_;
    for (std::size_t i = gap; i < plan_.size(); ++i) {
      if (outcomes_[i]) hand_on(i);
    }
  }

  void hand_on(std::size_t index) {
    ++handed_on_;
    on_outcome_(plan_[index].cell, *outcomes_[index]);
  }

  // A log that cannot be kept costs no measurement.
  void keep_log(const Cell& cell, const std::string& log) const {
    if (log.empty() || options_.log_folder.empty()) return;
    try {
      write_file_atomically(options_.log_folder / (file_stem(cell) + ".log"), log);
    } catch (const UsageError& error) {
      progress_.warn(error.what());
    }
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    stop_ = true;
  }

  const std::vector<PlannedCell>& plan_;
  const RunnerOptions& options_;
  std::atomic<bool>& stop_;
  Progress& progress_;
  const OnOutcome& on_outcome_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards all below
  std::vector<std::optional<CellOutcome>> outcomes_;
  std::size_t handed_on_ = 0;
  std::exception_ptr error_;
};

}  // namespace

int jobs_for(const std::vector<PlannedCell>& plan, int wanted) {
  const bool on_card = std::ranges::any_of(
      plan, [](const auto& planned) { return device_kind(planned.cell.device) == "cuda"; });
  if (on_card) return 1;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return wanted > 0 ? wanted : std::min(cores, kMostJobsByDefault);
}

bool run_suite(const std::vector<PlannedCell>& plan, const RunnerOptions& options,
               std::atomic<bool>& stop, Progress& progress, const OnOutcome& on_outcome) {
  return Runner(plan, options, stop, progress, on_outcome).run();
}

}  // namespace highwater
