#include <cstddef>
#include <cstdint>

#include "tests/fuzz/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const auto& reader = highwater::fuzz::readers().front();
  reader.takes({reinterpret_cast<const char*>(bytes), count});
  return 0;
}
