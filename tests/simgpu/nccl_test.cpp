#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "simgpu/nccl/types.hpp"

using simgpu::nccl::Communicator;
using simgpu::nccl::UniqueId;

extern "C" {
int ncclCommInitRank(Communicator**, int size, UniqueId, int rank);
int ncclCommSplit(const Communicator*, int color, int key, Communicator**, void* config);
int ncclCommShrink(const Communicator*, const int* excluded, int count, Communicator**, void*, int);
int ncclCommDestroy(Communicator*);
int ncclCommCount(const Communicator*, int*);
int ncclCommUserRank(const Communicator*, int*);
int ncclGetVersion(int*);
int ncclAllReduce(const void*, void*, std::size_t, int type, int, Communicator*, cudaStream_t);
int ncclAllGather(const void*, void*, std::size_t, int type, Communicator*, cudaStream_t);
int ncclReduceScatter(const void*, void*, std::size_t, int type, int, Communicator*, cudaStream_t);
int ncclReduce(const void*, void*, std::size_t, int type, int, int root, Communicator*,
               cudaStream_t);
int ncclSend(const void*, std::size_t, int type, int peer, Communicator*, cudaStream_t);
int ncclRecv(void*, std::size_t, int type, int peer, Communicator*, cudaStream_t);
int ncclGroupStart();
int ncclGroupEnd();
}

namespace {

constexpr int int32 = 2;
constexpr int sum = 0;

/// Device memory that holds what the test wrote there.
struct Buffer {
  explicit Buffer(const std::vector<std::int32_t>& values) : count(values.size()) {
    EXPECT_EQ(cudaMalloc(&pointer, bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(pointer, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~Buffer() { cudaFree(pointer); }
  std::size_t bytes() const { return count * sizeof(std::int32_t); }
  std::int32_t* at(std::size_t index) const { return static_cast<std::int32_t*>(pointer) + index; }
  std::vector<std::int32_t> values() const {
    std::vector<std::int32_t> found(count);
    EXPECT_EQ(cudaMemcpy(found.data(), pointer, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return found;
  }
  std::size_t count;
  void* pointer = nullptr;
};

/// Rank 1 of 3.
class Nccl : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(ncclCommInitRank(&communicator_, 3, {}, 1), 0); }
  void TearDown() override { EXPECT_EQ(ncclCommDestroy(communicator_), 0); }
  Communicator* communicator_ = nullptr;
};

using Values = std::vector<std::int32_t>;

TEST_F(Nccl, GathersThisRanksBytesFromEveryPeer) {
  const Buffer source({4, 5});
  const Buffer target(Values(6, 0));
  EXPECT_EQ(ncclAllGather(source.pointer, target.pointer, 2, int32, communicator_, nullptr), 0);
  EXPECT_EQ(target.values(), (Values{4, 5, 4, 5, 4, 5}));
}

TEST_F(Nccl, GathersInPlace) {
  const Buffer target({0, 0, 4, 5, 0, 0});
  EXPECT_EQ(ncclAllGather(target.at(2), target.pointer, 2, int32, communicator_, nullptr), 0);
  EXPECT_EQ(target.values(), (Values{4, 5, 4, 5, 4, 5}));
}

TEST_F(Nccl, ScattersTheOwnPart) {
  const Buffer source({1, 2, 3});
  const Buffer target({0});
  EXPECT_EQ(
      ncclReduceScatter(source.pointer, target.pointer, 1, int32, sum, communicator_, nullptr), 0);
  EXPECT_EQ(target.values(), Values{2});
}

TEST_F(Nccl, ReducesToTheRootOnly) {
  const Buffer source({7});
  const Buffer target({0});
  EXPECT_EQ(ncclReduce(source.pointer, target.pointer, 1, int32, sum, 0, communicator_, nullptr),
            0);
  EXPECT_EQ(target.values(), Values{0});
  EXPECT_EQ(ncclReduce(source.pointer, target.pointer, 1, int32, sum, 1, communicator_, nullptr),
            0);
  EXPECT_EQ(target.values(), Values{7});
}

/// More than device memory remembers: the target is not known, even where it was before.
TEST_F(Nccl, CarriesNoBytesOfLargeMessages) {
  const Buffer source(Values(32768, 7));
  const Buffer target(Values(32768, 0));
  ASSERT_EQ(cudaMemcpy(target.pointer, Values{9}.data(), 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(
      ncclAllReduce(source.pointer, target.pointer, 32768, int32, sum, communicator_, nullptr), 0);
  EXPECT_EQ(target.values(), Values(32768, 0));
}

/// As Torch makes its all-to-all: rank r of the peers sends what this rank would send to itself.
TEST_F(Nccl, ReceivesInAGroupWhatItSendsToItself) {
  const Buffer source({10, 11, 12});
  const Buffer target({0, 0, 0});
  EXPECT_EQ(ncclGroupStart(), 0);
  for (int peer = 0; peer < 3; ++peer) {
    const auto index = static_cast<std::size_t>(peer);
    EXPECT_EQ(ncclSend(source.at(index), 1, int32, peer, communicator_, nullptr), 0);
    EXPECT_EQ(ncclRecv(target.at(index), 1, int32, peer, communicator_, nullptr), 0);
  }
  EXPECT_EQ(target.values(), (Values{0, 0, 0}));
  EXPECT_EQ(ncclGroupEnd(), 0);
  EXPECT_EQ(target.values(), (Values{11, 11, 11}));
}

TEST_F(Nccl, ForgetsWhatALoneReceiveOverwrites) {
  const Buffer target({5});
  EXPECT_EQ(ncclRecv(target.pointer, 1, int32, 0, communicator_, nullptr), 0);
  EXPECT_EQ(target.values(), Values{0});
}

TEST_F(Nccl, RenumbersTheRanksThatAShrinkLeaves) {
  const std::array excluded{0};
  Communicator* left = nullptr;
  ASSERT_EQ(ncclCommShrink(communicator_, excluded.data(), 1, &left, nullptr, 0), 0);
  int size = 0, rank = -1;
  EXPECT_EQ(ncclCommCount(left, &size), 0);
  EXPECT_EQ(ncclCommUserRank(left, &rank), 0);
  EXPECT_EQ(size, 2);
  EXPECT_EQ(rank, 0);
  ncclCommDestroy(left);
}

TEST_F(Nccl, RefusesARankOutsideTheCommunicator) {
  Communicator* none = nullptr;
  EXPECT_EQ(ncclCommInitRank(&none, 3, {}, 3), 4);
}

TEST_F(Nccl, GivesNoCommunicatorToARankWithoutColor) {
  Communicator* none = communicator_;
  EXPECT_EQ(ncclCommSplit(communicator_, -1, 0, &none, nullptr), 0);
  EXPECT_EQ(none, nullptr);
}

using NcclDeathTest = Nccl;

TEST_F(NcclDeathTest, StopsWhereTheSizeOfASplitIsAsked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Communicator* part = nullptr;
  ASSERT_EQ(ncclCommSplit(communicator_, 3, 0, &part, nullptr), 0);
  int size = 0;
  EXPECT_DEATH(ncclCommCount(part, &size), "ncclCommCount of a communicator made by ncclCommSplit");
  ncclCommDestroy(part);
}

TEST_F(NcclDeathTest, StopsAtAnUnknownDataType) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ncclAllReduce(nullptr, nullptr, 1, 12, sum, communicator_, nullptr),
               "ncclAllReduce, data type 12");
}

TEST_F(Nccl, AnswersTheVersionTorchsWheelRequires) {
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), 0);
  EXPECT_EQ(version / 10000, 2);
}

}  // namespace
