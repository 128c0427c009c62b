#pragma once

/// Marks an entry point of a stand-in library.
///
/// `generate_standins.py` reads the sources for this word: the identifier before the next
/// parenthesis is an implemented name, exported by the library its folder stands in for. Names that
/// Torch imports and no source marks become functions that stop the program.
#define SIMGPU_EXPORT extern "C" __attribute__((visibility("default")))

/// Marks what libsimgpu.so offers to the stand-ins (and to tests).
#define SIMGPU_SHARED __attribute__((visibility("default")))
