#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace highwater {

/// The folder with the stand-in libraries for this torch, built where they are not in the cache yet
/// (simgpu/build_standins.py says where that is, and prints its progress).
/// @throws Error after a message on standard error, where they cannot be built.
std::filesystem::path prepare_standins(const std::filesystem::path& torch,
                                       const std::filesystem::path& simgpu);

/// The value of LD_PRELOAD that puts the libraries of the folder in front of everything, in the
/// order of its sonames.txt, and `others` after them. Preloading beats the search path inside
/// torch's libraries, and children inherit it.
/// @throws UsageError where the folder's path holds a blank or a colon, which LD_PRELOAD cannot
/// say.
std::string preload_list(const std::filesystem::path& standins, const std::string& others);

}  // namespace highwater
