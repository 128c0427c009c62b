#pragma once

#include <cstdint>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// The few device bytes that are known: what the host wrote there in small pieces. Programs send
/// sizes, flags and seeds to a device and read them back (or let a collective carry them), and
/// would go astray on zeros.
///
/// A range is known from a write of at most `max_shadow_bytes` until it is overwritten by something
/// that is not known, its block ends, or Torch's allocator hands the memory out again. That last
/// thing is seen only where a probe tells of it (reads.hpp). Without a probe any launch ends all
/// shadows of the process: memory may have changed hands since, and garbage is worse than zeros.
/// With a probe a kernel that changes shadowed memory in place is missed: what the host wrote last
/// is read back.
///
/// All functions are thread-safe and take any range of device addresses, known or not.

/// Longer writes are not kept. Once `max_shadow_total_bytes` are known, all of them are forgotten
/// and it starts anew.
constexpr std::uint64_t max_shadow_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t max_shadow_total_bytes = std::uint64_t{64} << 20;

/// The host wrote `bytes` bytes from `source` to `target`.
SIMGPU_SHARED void write_shadow(Address target, const void* source, std::uint64_t bytes);

/// The device copies one range to another: what is known of the source is then known of the target,
/// and nothing else is. Ranges may overlap.
SIMGPU_SHARED void copy_shadow(Address target, Address source, std::uint64_t bytes);

/// Copies what is known of the range to the same places of `target`, leaves the others alone and
/// returns how many bytes were known.
SIMGPU_SHARED std::uint64_t read_shadow(void* target, Address source, std::uint64_t bytes);

/// Nothing in the range is known any more: the device wrote it, or it changed hands.
SIMGPU_SHARED void forget_shadow(Address address, std::uint64_t bytes);

/// A kernel or library routine was launched.
SIMGPU_SHARED void shadow_meets_launch();

/// From now on a probe tells whenever memory is handed out again, so launches end no shadow.
SIMGPU_SHARED void keep_shadows_over_launches();

}  // namespace simgpu
