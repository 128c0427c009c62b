// A step that runs out of memory at any of its allocations ends as if it had been run with the
// smaller micro-batch from the start.

#include <gtest/gtest.h>

#include "harness/core/bytes.hpp"
#include "harness/measure/allocation_recorder.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/step_runner.hpp"
#include "harness/workload/out_of_memory.hpp"
#include "tests/support/failing_allocator.hpp"
#include "tests/support/memory_limit.hpp"
#include "tests/support/model_parameters.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::FailingAllocator;
using testing_support::MemoryLimit;
using testing_support::TinyModel;
using namespace literals;

/// With running statistics and random masks: what an attempt changes beside gradients.
class NormModel final : public TinyModel {
 public:
  explicit NormModel(std::int64_t batch) : TinyModel(batch) {
    norm_ = register_module("norm", std::make_shared<BatchNorm2d>(4, at::kCPU));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> all = TinyModel::segments();
    all.insert(all.begin() + 1, link("norm", [this](const at::Tensor& x) {
                 return dropout(norm_->forward(x.view({-1, 4, 2, 2})).view({-1, 16}), 0.5);
               }));
    return all;
  }

 private:
  std::shared_ptr<BatchNorm2d> norm_;
};

struct Trained {
  Tensors tensors;  ///< parameters, gradients, moments, running statistics, random state
  std::int64_t retries_of_first_step = 0;
  std::int64_t retries = 0;
};

/// An optimizer's state has no order: all its values in theirs.
at::Tensor sorted_values(const Tensors& tensors) {
  Tensors flat;
  for (const at::Tensor& tensor : tensors) flat.push_back(tensor.flatten());
  return std::get<0>(at::cat(flat).sort());
}

Trained two_steps(const StepPlan& plan, PhaseObserver* observer, std::int64_t samples = 10) {
  seed_generators(at::kCPU, 1);
  const auto model = std::make_shared<NormModel>(samples);
  const Batch batch = model->example_batch();
  StepRunner runner(model, plan, observer);
  Trained trained;
  trained.tensors = {runner.step(batch)};
  trained.retries_of_first_step = runner.oom_retries().value_or(0);
  trained.tensors.push_back(runner.step(batch));
  trained.retries = runner.oom_retries().value_or(0);
  const auto keep = [&](const Tensors& tensors) {
    trained.tensors.insert(trained.tensors.end(), tensors.begin(), tensors.end());
  };
  for (const at::Tensor& parameter : runner.parameters()) keep({parameter, parameter.grad()});
  keep({sorted_values(runner.state_tensors())});
  keep(model->buffers());
  keep({at::randn({4})});
  return trained;
}

void expect_equal(const Trained& a, const Trained& b) {
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_TRUE(at::equal(a.tensors[i], b.tensors[i])) << "tensor " << i;
  }
}

const StepPlan kRetries{.oom_retry = OutOfMemoryRetry{}};

class OomRetry : public testing::TestWithParam<FailingAllocator::Error> {};
INSTANTIATE_TEST_SUITE_P(BothErrors, OomRetry,
                         testing::Values(FailingAllocator::Error::typed,
                                         FailingAllocator::Error::untyped));

TEST_P(OomRetry, AtAnyAllocationOfAStepEndsAsADirectRunWithHalfTheMicroBatch) {
  FailingAllocator allocator;
  allocator.throws(GetParam());
  const Trained direct = two_steps({.micro_batches = 2}, &allocator);
  std::int64_t allocation = 1;
  for (;; ++allocation) {
    SCOPED_TRACE("allocation " + std::to_string(allocation));
    allocator.fail_at(allocation);
    const Trained retried = two_steps(kRetries, &allocator);
    if (retried.retries_of_first_step == 0) break;
    EXPECT_EQ(retried.retries, 1);
    expect_equal(direct, retried);
  }
  EXPECT_GT(allocation, 20);
}

// 16 floats for each of 64 samples are 4 KiB; a quarter of them fits, and later steps know.
TEST_P(OomRetry, HalvesUntilItFitsAndRemembersWhatFitted) {
  FailingAllocator allocator;
  const Trained direct = two_steps({.micro_batches = 4}, &allocator, 64);
  allocator.throws(GetParam());
  allocator.fail_above(1100);
  const Trained retried = two_steps(kRetries, &allocator, 64);
  EXPECT_EQ(retried.retries_of_first_step, 2);
  EXPECT_EQ(retried.retries, 2);
  expect_equal(direct, retried);
}

class OomRetryUnder : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Techniques, OomRetryUnder,
                         testing::Values("activation_checkpointing", "checkpoint_reentrant",
                                         "autocast_bf16", "autocast_fp16", "activation_offload",
                                         "set_to_none", "gradient_accumulation"));

TEST_P(OomRetryUnder, AtAnyAllocationEndsAsADirectRunWithHalfTheMicroBatch) {
  FailingAllocator allocator;
  StepPlan plan = make_plan(parse_techniques(GetParam()));
  plan.micro_batches *= 2;
  const Trained direct = two_steps(plan, &allocator);
  plan.micro_batches /= 2;
  plan.oom_retry = OutOfMemoryRetry{};
  std::int64_t allocation = 1;
  for (;; ++allocation) {
    SCOPED_TRACE("allocation " + std::to_string(allocation));
    allocator.fail_at(allocation);
    const Trained retried = two_steps(plan, &allocator);
    if (retried.retries_of_first_step == 0) break;
    expect_equal(direct, retried);
  }
  EXPECT_GT(allocation, 20);
}

class OomRetryOfModel : public testing::TestWithParam<std::string> {
 protected:
  struct Run {
    Tensors tensors;  ///< losses of three steps, and the weights after them
    std::int64_t retries_of_first_step = 0;
  };

  static Run run(const StepPlan& plan, std::int64_t failing_allocation) {
    FailingAllocator allocator;
    const Cell cell = {.model = GetParam(), .preset = "twin", .device = "cpu"};
    const Workload workload = make_workload(cell, at::kCPU, plan, &allocator);
    allocator.fail_at(failing_allocation);
    Run run{.tensors = {workload.runner->step(workload.batch)}};
    run.retries_of_first_step = workload.runner->oom_retries().value_or(0);
    for (int i = 1; i < 3; ++i) run.tensors.push_back(workload.runner->step(workload.batch));
    for (const at::Tensor& weight : workload.runner->parameters()) run.tensors.push_back(weight);
    return run;
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, OomRetryOfModel, testing::ValuesIn(model_names()),
                         model_test_name);

TEST_P(OomRetryOfModel, EndsAsADirectRunWithHalfTheMicroBatch) {
  const Run direct = run({.micro_batches = 2}, 0);
  std::int64_t allocation = 1;
  for (;; allocation *= 2) {
    SCOPED_TRACE("allocation " + std::to_string(allocation));
    const Run retried = run(kRetries, allocation);
    if (retried.retries_of_first_step == 0) break;
    for (std::size_t i = 0; i < direct.tensors.size(); ++i) {
      EXPECT_TRUE(at::equal(direct.tensors[i], retried.tensors[i])) << "tensor " << i;
    }
  }
  EXPECT_GT(allocation, 16);
}

TEST(OomRetryOf, WhatNeverFitsEndsWithTheErrorAtTheFloor) {
  FailingAllocator allocator;
  allocator.fail_above(0);
  const auto model = std::make_shared<NormModel>(10);
  StepRunner runner(model, {.oom_retry = OutOfMemoryRetry{.smallest_micro_batch = 2}}, &allocator);
  EXPECT_THROW(runner.step(model->example_batch()), c10::OutOfMemoryError);
  EXPECT_EQ(runner.oom_retries(), 2);  // 10, 5, 3 or 2 samples
}

TEST(OomRetryOf, AFailedStepLeavesTheBytesThatItFound) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, recorder);
  FailingAllocator allocator;
  const auto model = std::make_shared<NormModel>(10);
  const Batch batch = model->example_batch();
  StepRunner runner(model, kRetries, &allocator);
  const Bytes before = recorder->current();
  allocator.fail_above(0);
  EXPECT_THROW(runner.step(batch), c10::OutOfMemoryError);
  EXPECT_EQ(recorder->current(), before);
}

// pytorch#33056: only some of these have a type of their own.
TEST(OomRetryOf, KnowsOutOfMemoryByTypeOrByText) {
  const auto is_known = [](const char* text) {
    try {
      TORCH_CHECK(false, text);
    } catch (const c10::Error& error) {
      return is_out_of_memory(error);
    }
    return false;
  };
  EXPECT_TRUE(
      is_known("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"));
  EXPECT_TRUE(is_known("CUDA error: out of memory"));
  EXPECT_TRUE(
      is_known("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
  EXPECT_TRUE(is_known("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"));
  EXPECT_FALSE(is_known("CUDA error: an illegal memory access was encountered"));
}

TEST(OomRetryOf, AnotherErrorIsNotTakenForOutOfMemory) {
  const auto model = std::make_shared<NormModel>(10);
  StepRunner runner(model, kRetries);
  Batch batch = model->example_batch();
  batch.targets = at::randn({10, 5});
  EXPECT_THROW(runner.step(batch), c10::Error);
  EXPECT_EQ(runner.oom_retries(), 0);
}

// The MLP reserves 160 MiB.
TEST(OomRetryOf, SimFitsAModelIntoLessThanItNeeds) {
  const DeviceSession session("sim:h200");
  const MemoryLimit limit(130_MiB);
  const Cell cell{.model = "mlp", .preset = "full", .technique = "oom_retry", .device = "sim:h200"};
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const auto metrics = measure_memory(session, cell, plan, Protocol{}).metrics;
  EXPECT_GT(metrics.at("oom_retries"), 0);
  EXPECT_LE(metrics.at("peak_reserved_bytes"), 130_MiB);
  EXPECT_EQ(metrics.at("leak_bytes"), 0);
  EXPECT_EQ(metrics.at("teardown_bytes"), 0);
}

}  // namespace
}  // namespace highwater
