#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "simgpu/device/embedded_image.hpp"
#include "simgpu/device/profile.hpp"
#include "tests/simgpu/probe_process.hpp"
#include "tests/simgpu/torch_probes.hpp"
#include "tests/support/own_path.hpp"

namespace {

constexpr std::int64_t mib = 1 << 20;

std::string profile_path(const std::string& name) {
  return std::string(SIMGPU_PROFILE_DIR) + "/" + name + ".json";
}

/// The shipped profiles whose card this Torch has kernels for, or those it has none for.
std::vector<std::string> profiles(bool with_kernels) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PROFILE_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const int device = simgpu::architecture(simgpu::load_profile(entry.path()));
    if (simgpu::embedded_image_for(device).has_value() == with_kernels)
      paths.push_back(entry.path());
  }
  return paths;
}

/// A copy of the H200 profile with one number changed.
std::string changed_profile(const std::string& key, std::int64_t from, std::int64_t to) {
  std::ostringstream text;
  text << std::ifstream(profile_path("h200")).rdbuf();
  const std::string before = "\"" + key + "\": " + std::to_string(from);
  std::string content = text.str();
  const std::size_t at = content.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  content.replace(at, before.size(), "\"" + key + "\": " + std::to_string(to));
  const std::string path =
      ::testing_support::own_path("simgpu_" + key + "_" + std::to_string(to) + ".json");
  std::ofstream(path) << content;
  return path;
}

/// Total memory that leaves `bytes` for allocations.
std::string capacity_for(std::int64_t bytes) {
  return std::to_string(simgpu::load_profile(profile_path("h200")).context_bytes + bytes);
}

TEST(TorchOnTheSimulatedGpu, SeesTheProfileAsDeviceProperties) {
  for (const std::string& path : profiles(/*with_kernels=*/true)) {
    SCOPED_TRACE(path);
    const simgpu::Profile profile = simgpu::load_profile(path);
    const Outcome seen = probe("properties", {{"SIMGPU_PROFILE", path}});
    EXPECT_EQ(seen["major"], profile.compute_capability_major);
    EXPECT_EQ(seen["minor"], profile.compute_capability_minor);
    EXPECT_EQ(seen["multiprocessors"], profile.multiprocessor_count);
    EXPECT_EQ(seen["total_memory_bytes"], profile.total_memory_bytes);
    EXPECT_EQ(seen["l2_cache_bytes"], profile.l2_cache_bytes);
    EXPECT_EQ(seen["warp_size"], 32);
    EXPECT_EQ(seen["threads_per_multiprocessor"], profile.max_threads_per_multiprocessor);
    EXPECT_EQ(seen["threads_per_block"], 1024);
    EXPECT_EQ(seen["registers_per_multiprocessor"], profile.registers_per_multiprocessor);
    EXPECT_EQ(seen["shared_per_block_bytes"], profile.shared_memory_per_block_bytes);
    EXPECT_EQ(seen["shared_per_block_optin_bytes"], profile.shared_memory_per_block_optin_bytes);
    EXPECT_EQ(seen["shared_per_multiprocessor_bytes"],
              profile.shared_memory_per_multiprocessor_bytes);
    EXPECT_EQ(seen["bus_width_bits"], profile.memory_bus_width_bits);
  }
}

TEST(TorchOnTheSimulatedGpu, ReservesOneGibibyteForOneGibibyte) {
  const Outcome seen = probe("reserve");
  EXPECT_EQ(seen["allocated_bytes"], 1'073'741'824);
  EXPECT_EQ(seen["reserved_bytes"], 1'073'741'824);
}

TEST(TorchOnTheSimulatedGpu, SizesTheCublasWorkspaceByCapability) {
  EXPECT_EQ(probe("matmul")["workspace_bytes"], 33'554'432);
  const Outcome on_8_9 = probe("matmul", {{"SIMGPU_PROFILE", profile_path("rtx-4090")}});
  EXPECT_EQ(on_8_9["workspace_bytes"], 8'519'680);
}

TEST(TorchOnTheSimulatedGpu, SizesReductionBuffersByMultiprocessorCount) {
  const std::string half = changed_profile("multiprocessor_count", 132, 66);
  const std::int64_t on_132 = probe("reduction")["buffer_bytes"];
  const std::int64_t on_66 = probe("reduction", {{"SIMGPU_PROFILE", half}})["buffer_bytes"];
  EXPECT_GT(on_66, 512);
  EXPECT_GT(on_132, on_66);
}

TEST(TorchOnTheSimulatedGpu, RunsOutOfMemoryAtItsCapacity) {
  const Outcome seen = probe("out_of_memory", {{"SIMGPU_CAPACITY_BYTES", capacity_for(600 * mib)}});
  EXPECT_EQ(seen["thrown"], 1);
  EXPECT_EQ(seen["blocks"], 2);
  EXPECT_EQ(seen["ooms"], 1);
  EXPECT_EQ(seen["retries"], 1);
}

TEST(TorchOnTheSimulatedGpu, FlushesTheCacheAndRetriesBeforeGivingUp) {
  const Outcome seen = probe("retry", {{"SIMGPU_CAPACITY_BYTES", capacity_for(600 * mib)}});
  EXPECT_EQ(seen["ooms"], 0);
  EXPECT_EQ(seen["retries"], 1);
  EXPECT_EQ(seen["reserved_bytes"], 400 * mib);
}

TEST(TorchOnTheSimulatedGpu, TrainsAnMlpWithTheSamePeakEveryTime) {
  const Outcome first = probe("training");
  const Outcome second = probe("training");
  // 4 layers of 512 x 512 with value, gradient and two moments, the batch, and two workspaces.
  EXPECT_GT(first["peak_bytes"], 4 * 4 * 512 * 512 * 4 + 2048 * 512 * 4 + 2 * 33'554'432);
  EXPECT_GT(first["kernel_launches"], 30);
  EXPECT_GT(first["library_calls"], 3 * 4 * 2);
  EXPECT_EQ(first.text, second.text);
}

TEST(TorchOnTheSimulatedGpu, AllocatesTheSameBytesInEveryAddressOrder) {
  const std::int64_t falling = probe("training")["peak_bytes"];
  EXPECT_EQ(probe("training", {{"SIMGPU_ADDRESS_ORDER", "rising"}})["peak_bytes"], falling);
  EXPECT_EQ(probe("training", {{"SIMGPU_ADDRESS_ORDER", "random:1"}})["peak_bytes"], falling);
}

TEST(TorchOnTheSimulatedGpu, TrainsWithExpandableSegments) {
  const Outcome plain = probe("training");
  const Outcome expandable =
      probe("training", {{"PYTORCH_ALLOC_CONF", "expandable_segments:True"}});
  EXPECT_GT(expandable["peak_bytes"], 0);
  EXPECT_LE(expandable["peak_reserved_bytes"], plain["peak_reserved_bytes"]);
}

TEST(TorchOnTheSimulatedGpu, ChargesExpandableSegmentsToItsCapacity) {
  const Outcome seen = probe("out_of_memory", {{"PYTORCH_ALLOC_CONF", "expandable_segments:True"},
                                               {"SIMGPU_CAPACITY_BYTES", capacity_for(600 * mib)}});
  EXPECT_EQ(seen["thrown"], 1);
  EXPECT_EQ(seen["blocks"], 2);
}

TEST(TorchOnTheSimulatedGpu, TrainsWithTheDriversOwnPool) {
  const Outcome seen = probe("training", {{"PYTORCH_ALLOC_CONF", "backend:cudaMallocAsync"}});
  EXPECT_GT(seen["peak_bytes"], 4 * 4 * 512 * 512 * 4);
}

TEST(TorchOnTheSimulatedGpu, ReadsZeroFromTheDevice) { EXPECT_EQ(probe("read_back")["value"], 0); }

TEST(TorchOnTheSimulatedGpu, HoldsBackMemoryThatAnotherStreamWorksOn) {
  const auto seen = [](const char* timing) {
    return probe("shared_between_streams", {{"SIMGPU_EVENTS", timing}});
  };
  for (const char* timing : {"queued", "after-sync"}) {
    EXPECT_EQ(seen(timing)["bytes_before_waiting"], 4 * mib) << timing;
    EXPECT_EQ(seen(timing)["bytes_after_waiting"], 0) << timing;
  }
  EXPECT_EQ(seen("at-once")["bytes_before_waiting"], 0);
}

TEST(TorchOnTheSimulatedGpu, CapturesAndReplaysGraphs) {
  const Outcome seen = probe("graph");
  EXPECT_GE(seen["launches_a_replay"], 2);
  EXPECT_EQ(seen["launches_of_two_replays"], 2 * seen["launches_a_replay"]);
  EXPECT_EQ(seen["growth_bytes"], 0);
  EXPECT_EQ(seen["value"], 0);
}

TEST(TorchOnTheSimulatedGpu, TellsSizesThatDependOnValuesByOperator) {
  const Outcome seen = probe("values", {{"SIMGPU_SESSION", testing::TempDir()}});
  EXPECT_EQ(seen["sizes_by_value"], 0);  // equal allocates and reads, but never in that order
  EXPECT_GE(seen["sizes_by_value_in_nonzero"], 1);
  EXPECT_GE(seen["reads"], 4);
}

TEST(TorchOnTheSimulatedGpu, ReadsBackWhatItSentButNotWhatKernelsWrote) {
  const Outcome seen = probe("values", {{"SIMGPU_SESSION", testing::TempDir()}});
  EXPECT_EQ(seen["sent"], 1);
  EXPECT_EQ(seen["doubled"], 0);
  EXPECT_EQ(seen.text.find("garbage"), std::string::npos) << seen.text;
}

TEST(TorchOnTheSimulatedGpu, ReadsNoGarbageWithoutAProbe) {
  const Outcome seen = probe("values");
  EXPECT_EQ(seen["sent"], 0);  // a launch in between: who has the memory now is not known
  EXPECT_EQ(seen.text.find("garbage"), std::string::npos) << seen.text;
}

TEST(TorchOnTheSimulatedGpu, RunsOperatorsOnEveryProfileThatItHasKernelsFor) {
  for (const std::string& path : profiles(/*with_kernels=*/true)) {
    const Outcome seen = probe("operators", {{"SIMGPU_PROFILE", path}});
    EXPECT_EQ(seen["gradient_bytes"], 1000 * 64 * 4) << path;
  }
}

TEST(TorchOnTheSimulatedGpu, RefusesProfilesThatItHasNoKernelsFor) {
  for (const std::string& path : profiles(/*with_kernels=*/false)) {
    const Outcome seen = probe("reserve", {{"SIMGPU_PROFILE", path}});
    EXPECT_EQ(WEXITSTATUS(seen.status), 2) << path;
    EXPECT_NE(seen.text.find("choose another device or another Torch"), std::string::npos)
        << seen.text;
  }
}

TEST(TorchOnTheSimulatedGpu, CopiesBetweenDevicesAndPinsMemory) {
  const Outcome seen = probe("transfers", {{"SIMGPU_DEVICES", "2"}});
  EXPECT_EQ(seen["devices"], 2);
  EXPECT_EQ(seen["first_bytes"], 4 * mib);
  EXPECT_EQ(seen["second_bytes"], 4 * mib);
  EXPECT_EQ(seen["is_pinned"], 1);
}

TEST(TorchOnTheSimulatedGpu, ResolvesEverySymbolOfTorchsLibraries) {
  EXPECT_EQ(probe("resolve")["opened"], 6);
}

TEST(TorchOnTheSimulatedGpu, ReportsAHostReadOfATensorAndDies) {
  const Outcome seen = probe("host_access");
  EXPECT_NE(seen.status, 0);
  EXPECT_NE(seen.text.find("simgpu: host read at 0x"), std::string::npos) << seen.text;
  EXPECT_NE(seen.text.find("byte 0 of a block of 2097152 bytes"), std::string::npos) << seen.text;
}

TEST(TorchOnTheSimulatedGpu, ComputesOnTheCpuWithoutADevice) {
  const Outcome seen = probe("without_device", {{"SIMGPU_DEVICES", "0"}, {"SIMGPU_PROFILE", ""}});
  EXPECT_EQ(seen["devices"], 0);
  EXPECT_EQ(seen["sum"], 3);
}

TEST(TorchOnTheSimulatedGpu, ExitsWithCodeTwoWithoutAProfile) {
  const Outcome seen = probe("reserve", {{"SIMGPU_PROFILE", ""}});
  EXPECT_EQ(WEXITSTATUS(seen.status), 2);
  EXPECT_NE(seen.text.find("SIMGPU_PROFILE names no profile"), std::string::npos) << seen.text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--probe") return run_probe(argv[2]) ? 0 : 3;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
