#pragma once

#include "simgpu/device/report_page.hpp"

namespace simgpu {

/// A zeroed page with its head filled in: a new file in the folder SIMGPU_SESSION, or memory of
/// this process where that is unset. Stops the program where the file cannot be made. Stays mapped.
ReportPage* open_report_page();

}  // namespace simgpu
