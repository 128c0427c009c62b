#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"
#include "simgpu/device/report_page.hpp"

namespace simgpu {

/// What this process tells a waiting parent: see ReportPage. Where SIMGPU_SESSION names a folder,
/// the page is a file there from the first call below on; elsewhere it is memory that nobody reads.
/// A forked child starts a page of its own. Everything here is thread-safe.

/// `bytes` of device memory were taken from the driver, which makes `reserved` bytes in use.
void report_taken(int device, std::uint64_t bytes, std::uint64_t reserved);

/// The opposite.
void report_given_back(int device, std::uint64_t bytes, std::uint64_t reserved);

/// `bytes` did not fit.
void report_refused(int device, std::uint64_t bytes);

/// Takes no lock.
void report_launch();
void report_library_call();
std::uint64_t reported_launches();
std::uint64_t reported_library_calls();

/// What Torch's allocator says of a device now. Peaks are kept: a smaller one replaces none.
SIMGPU_SHARED void report_torch(int device, const ReportPage::Torch& statistics);

/// Adds `count` to the note of this kind and text, which are cut to their places in the page.
void report_note(const char* kind, const char* text);

/// The page itself, for tests.
SIMGPU_SHARED const ReportPage& report_page();

}  // namespace simgpu
