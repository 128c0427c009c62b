#pragma once

#include "fidelity/allocator/stream_clocks.hpp"

namespace highwater::oracle {

/// The clocks behind cudaEventRecord, cudaEventQuery and cudaEventSynchronize in a program that
/// links cuda_events.cpp: its own definitions of these three come before the stand-in's, so that
/// CUDA events are done exactly when the program's steps say so.
StreamClocks& cuda_clocks();

}  // namespace highwater::oracle
