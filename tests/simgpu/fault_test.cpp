#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>

namespace {

class FaultDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static volatile char* allocate(std::size_t bytes) {
    void* pointer = nullptr;
    cudaMalloc(&pointer, bytes);
    return static_cast<volatile char*>(pointer);
  }

  /// A page that may not be accessed, far from the device's addresses.
  static void touch_nothing() {
    void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<volatile char*>(page) = 1;
  }
};

TEST_F(FaultDeathTest, NamesTheBlockAHostReadHits) {
  EXPECT_EXIT(static_cast<void>(allocate(3000)[17]), testing::KilledBySignal(SIGSEGV),
              "simgpu: host read at 0x[0-9a-f]+ touches device memory: byte 17 of a block of 3000 "
              "bytes at 0x[0-9a-f]+ .device 0.; copy it to the host first");
}

TEST_F(FaultDeathTest, NamesAHostWriteAsAWrite) {
  EXPECT_EXIT(allocate(3000)[0] = 1, testing::KilledBySignal(SIGSEGV), "host write at .* byte 0");
}

TEST_F(FaultDeathTest, SaysThatAnAddressIsFreed) {
  const auto read_freed = [] {
    volatile char* pointer = allocate(3000);
    cudaFree(const_cast<char*>(pointer));
    static_cast<void>(pointer[0]);
  };
  EXPECT_EXIT(read_freed(), testing::KilledBySignal(SIGSEGV),
              "host read at .* touches a freed or unallocated device address");
}

TEST_F(FaultDeathTest, LeavesOtherFaultsToTheHandlerBefore) {
  const auto fault_elsewhere = [] {
    signal(SIGSEGV, [](int) { std::_Exit(42); });
    allocate(1);
    touch_nothing();
  };
  EXPECT_EXIT(fault_elsewhere(), testing::ExitedWithCode(42), "^$");
}

TEST_F(FaultDeathTest, LeavesOtherFaultsToTheSystemWhereNoHandlerWas) {
  const auto fault_elsewhere = [] {
    allocate(1);
    touch_nothing();
  };
  EXPECT_EXIT(fault_elsewhere(), testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
