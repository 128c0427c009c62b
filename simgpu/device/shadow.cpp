#include "simgpu/device/shadow.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace simgpu {
namespace {

using Content = std::vector<unsigned char>;

/// Known ranges: they are never empty and never overlap.
class Shadow {
 public:
  void put(Address address, Content content) {
    forget(address, content.size());
    if (total_bytes_ + content.size() > max_shadow_total_bytes) clear();
    if (!content.empty()) insert(address, std::move(content));
  }

  void forget(Address begin, std::uint64_t bytes) {
    const Address end = begin + bytes;
    for (auto at = first_beyond(begin); at != pieces_.end() && at->first < end;) {
      const Address start = at->first;
      const Content whole = std::move(at->second);
      at = pieces_.erase(at);
      total_bytes_ -= whole.size();
      const Address stop = start + whole.size();
      if (start < begin) insert(start, {whole.begin(), whole.end() - distance(begin, stop)});
      if (stop > end) insert(end, {whole.begin() + distance(start, end), whole.end()});
    }
  }

  /// The known parts of the range, in order of address.
  std::map<Address, Content> known(Address begin, std::uint64_t bytes) const {
    const Address end = begin + bytes;
    std::map<Address, Content> parts;
    for (auto at = first_beyond(begin); at != pieces_.end() && at->first < end; ++at) {
      const auto& [start, whole] = *at;
      const Address from = std::max(begin, start);
      const Address to = std::min(end, start + whole.size());
      parts.emplace(from, Content(whole.begin() + distance(start, from),
                                  whole.begin() + distance(start, to)));
    }
    return parts;
  }

  void clear() {
    pieces_.clear();
    total_bytes_ = 0;
  }

  bool is_empty() const { return pieces_.empty(); }

 private:
  using Pieces = std::map<Address, Content>;

  static std::ptrdiff_t distance(Address from, Address to) {
    return static_cast<std::ptrdiff_t>(to - from);
  }

  /// The first piece that ends beyond `address`.
  Pieces::const_iterator first_beyond(Address address) const {
    const auto next = pieces_.upper_bound(address);
    if (next == pieces_.begin()) return next;
    const auto before = std::prev(next);
    return before->first + before->second.size() > address ? before : next;
  }
  Pieces::iterator first_beyond(Address address) {
    const auto found = std::as_const(*this).first_beyond(address);
    return pieces_.erase(found, found);  // the same place, not const
  }

  void insert(Address address, Content content) {
    total_bytes_ += content.size();
    pieces_.emplace(address, std::move(content));
  }

  Pieces pieces_;
  std::uint64_t total_bytes_ = 0;
};

std::mutex mutex;
std::atomic<bool> is_empty{true};  // most programs never have a shadow: spare them the lock
std::atomic<bool> survives_launches{false};

Shadow& shadow() {
  static Shadow& instance = *new Shadow;
  return instance;
}

template <class Change>
void change(Change change) {
  const std::lock_guard lock(mutex);
  change(shadow());
  is_empty = shadow().is_empty();
}

}  // namespace

void write_shadow(Address target, const void* source, std::uint64_t bytes) {
  if (bytes > max_shadow_bytes) return forget_shadow(target, bytes);
  const auto* begin = static_cast<const unsigned char*>(source);
  change([&](Shadow& shadow) { shadow.put(target, {begin, begin + bytes}); });
}

void copy_shadow(Address target, Address source, std::uint64_t bytes) {
  if (is_empty) return;
  change([&](Shadow& shadow) {
    auto parts = shadow.known(source, bytes);
    shadow.forget(target, bytes);
    for (auto& [address, content] : parts)
      shadow.put(target + (address - source), std::move(content));
  });
}

std::uint64_t read_shadow(void* target, Address source, std::uint64_t bytes) {
  if (is_empty) return 0;
  const std::lock_guard lock(mutex);
  std::uint64_t known_bytes = 0;
  for (const auto& [address, content] : shadow().known(source, bytes)) {
    std::memcpy(static_cast<char*>(target) + (address - source), content.data(), content.size());
    known_bytes += content.size();
  }
  return known_bytes;
}

void forget_shadow(Address address, std::uint64_t bytes) {
  if (is_empty) return;
  change([&](Shadow& shadow) { shadow.forget(address, bytes); });
}

void shadow_meets_launch() {
  if (is_empty || survives_launches) return;
  change([](Shadow& shadow) { shadow.clear(); });
}

void keep_shadows_over_launches() { survives_launches = true; }

}  // namespace simgpu
