#include "harness/report/allocator_text.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

using namespace literals;

AllocatorSummary summary() {
  AllocatorSummary summary{.device = 0, .out_of_memory = 1, .retries = 2, .stats = {}};
  for (const char* metric :
       {"allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes",
        "inactive_split_bytes", "allocation", "active", "segment", "inactive_split"}) {
    for (const char* pool : {".all", ".large_pool", ".small_pool"}) {
      summary.stats[std::string(metric) + pool] = {};
    }
  }
  summary.stats["oversize_allocations"] = summary.stats["oversize_segments"] = {};
  return summary;
}

// The rows that torch/cuda/memory.py of PyTorch 2.11 makes of these numbers.
TEST(AllocatorText, HasTheLayoutOfTorchCudaMemorySummary) {
  AllocatorSummary numbers = summary();
  numbers.stats["allocated_bytes.all"] = {3_MiB, 2_GiB, 5_GiB, 4_GiB};
  numbers.stats["allocated_bytes.large_pool"] = {2_MiB, 1_GiB, 5_GiB, 4_GiB};
  numbers.stats["allocation.all"] = {12, 345, 800'000, 799'988};
  const std::string text = allocator_text(numbers);
  EXPECT_EQ(text.substr(0, text.find("| Active memory")),
            "|===========================================================================|\n"
            "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
            "|---------------------------------------------------------------------------|\n"
            "|            CUDA OOMs: 1            |        cudaMalloc retries: 2         |\n"
            "|===========================================================================|\n"
            "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
            "|---------------------------------------------------------------------------|\n"
            "| Allocated memory      |   3072 KiB |   2048 MiB |   5120 MiB |   4096 MiB |\n"
            "|       from large pool |   2048 KiB |   1024 MiB |   5120 MiB |   4096 MiB |\n"
            "|       from small pool |      0 KiB |      0 MiB |      0 MiB |      0 MiB |\n"
            "|---------------------------------------------------------------------------|\n");
  EXPECT_NE(
      text.find("| Allocations           |      12    |     345    |     800 K  |     799 K  |"),
      std::string::npos)
      << text;
}

TEST(AllocatorText, HasOneRowForEachNumberOfTheAllocator) {
  const std::string text = allocator_text(summary());
  for (const char* row :
       {"| Active memory         |", "| Requested memory      |", "| GPU reserved memory   |",
        "| Non-releasable memory |", "| Active allocs         |", "| GPU reserved segments |",
        "| Non-releasable allocs |", "| Oversize allocations  |", "| Oversize GPU segments |"}) {
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  for (std::size_t start = 0, end = 0; start < text.size(); start = end + 1) {
    end = text.find('\n', start);
    EXPECT_EQ(end - start, 77U) << text.substr(start, end - start);
  }
}

}  // namespace
}  // namespace highwater
