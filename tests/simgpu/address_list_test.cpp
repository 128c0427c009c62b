#include "simgpu/device/address_list.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "simgpu/device/reservation.hpp"
#include "simgpu/device/stop.hpp"
#include "tests/support/own_path.hpp"

namespace simgpu {
namespace {

constexpr Address base = 0x1000'0000'0000;
constexpr std::uint64_t page = page_bytes;

std::string file_with(const std::string& text) {
  const std::string path = ::testing_support::own_path("addresses.txt");
  std::ofstream(path) << text;
  return path;
}

std::string complaint_about(const std::string& path) {
  try {
    AddressList list(path, base);
    list.take();
    list.take();
    return "no complaint";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(AddressList, KeepsOrderAndDistances) {
  // 67,108,864 = 32 pages, 20,971,520 = 10 pages
  AddressList list(file_with("67108864\n20971520\n"), base);
  EXPECT_EQ(list.take(), base + 22 * page);
  EXPECT_EQ(list.take(), base);
  EXPECT_EQ(list.line(), 2u);
}

TEST(AddressList, NamesWhatIsWrongWithItsFile) {
  EXPECT_EQ(complaint_about("missing.txt"), "SIMGPU_ADDRESSES: missing.txt cannot be read.");
  EXPECT_NE(complaint_about(file_with("")).find("lists no address"), std::string::npos);
  EXPECT_NE(complaint_about(file_with("2097152\n0x200000\n")).find("'0x200000' in line 2"),
            std::string::npos);
  EXPECT_NE(complaint_about(file_with("512\n")).find("multiple of 2097152"), std::string::npos);
  EXPECT_NE(complaint_about(file_with("2097152\n")).find("lists 1 addresses"), std::string::npos);
}

/// Statements run by EXPECT_EXIT start in a fresh process, which reads the environment anew.
class AddressListDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, bytes);
  return pointer;
}

TEST_F(AddressListDeathTest, IsWhatCudaMallocAnswers) {
  const auto allocate_listed = [] {
    setenv("SIMGPU_ADDRESSES", file_with("41943040\n20971520\n41943040\n").c_str(), 1);
    char* const first = static_cast<char*>(allocate(page));
    char* const second = static_cast<char*>(allocate(page));
    cudaFree(first);
    const bool is_good = first - second == 10 * static_cast<std::ptrdiff_t>(page) &&
                         allocate(page) == first && is_device_address(first);
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(allocate_listed(), testing::ExitedWithCode(0), "");
}

TEST_F(AddressListDeathTest, StopsWhereABlockDoesNotFit) {
  const auto overlap = [] {
    setenv("SIMGPU_ADDRESSES", file_with("41943040\n20971520\n").c_str(), 1);
    allocate(page);
    allocate(11 * page);
    std::exit(0);
  };
  EXPECT_EXIT(overlap(), testing::ExitedWithCode(2), "line 2 holds no block of 23068672 bytes");
}

TEST_F(AddressListDeathTest, StopsWhenItIsUsedUp) {
  const auto ask_twice = [] {
    setenv("SIMGPU_ADDRESSES", file_with("41943040\n").c_str(), 1);
    allocate(page);
    allocate(page);
    std::exit(0);
  };
  EXPECT_EXIT(ask_twice(), testing::ExitedWithCode(2), "lists 1 addresses");
}

}  // namespace
}  // namespace simgpu
