#pragma once

#include <filesystem>

namespace highwater {

/// The folder with NVIDIA's own libcudnn.so.9, which plans convolutions for the simulated GPU:
/// HIGHWATER_CUDNN_DIR of the environment, else the one known when this was configured. Empty where
/// there is no such library.
std::filesystem::path cudnn_folder();

}  // namespace highwater
