#pragma once

namespace simgpu {

/// Makes a host access to device memory explain itself. A SIGSEGV inside the reservation prints one
/// line on stderr (address, read or write, the block it hits), puts the previous handler back and
/// lets the access fault again, so the process ends as it would have, by SIGSEGV. A SIGSEGV
/// anywhere else goes to the previous handler unchanged. Called once, when the reservation is made;
/// a handler installed later by somebody else replaces this one.
void install_fault_reporter();

}  // namespace simgpu
