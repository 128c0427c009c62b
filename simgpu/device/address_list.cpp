#include "simgpu/device/address_list.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& complaint) {
  throw ConfigError("SIMGPU_ADDRESSES: " + path + " " + complaint);
}

Address parse(const std::string& path, std::size_t line, const std::string& text) {
  Address address = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, address);
  if (error != std::errc{} || stopped != end || address % page_bytes != 0)
    refuse(path, "has '" + text + "' in line " + std::to_string(line) +
                     ", which must be a decimal multiple of " + std::to_string(page_bytes) + ".");
  return address;
}

}  // namespace

AddressList::AddressList(const std::string& path, Address base) : path_(path) {
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read.");
  for (std::string text; std::getline(file, text);)
    addresses_.push_back(parse(path, addresses_.size() + 1, text));
  if (addresses_.empty()) refuse(path, "lists no address.");
  const Address lowest = *std::ranges::min_element(addresses_);
  for (Address& address : addresses_) address = base + (address - lowest);
}

Address AddressList::take() {
  if (taken_ == addresses_.size())
    refuse(path_, "lists " + std::to_string(taken_) +
                      " addresses, and the program asks for one more block; list as many as the "
                      "program makes cudaMalloc calls.");
  return addresses_[taken_++];
}

}  // namespace simgpu
