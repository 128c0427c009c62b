/// Replays a trace through Torch's own allocator on a simulated GPU whose cudaMalloc answers the
/// recorded addresses.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "fidelity/allocator/replay_program.hpp"
#include "fidelity/libtorch/rebuild.hpp"
#include "fidelity/libtorch/torch_subject.hpp"

namespace {

using namespace highwater::oracle;

/// The addresses that cudaMalloc will be asked for: those of the start, then those of the trace.
std::vector<Address> addresses_of(const Trace& trace) {
  std::vector<Address> addresses;
  for (const SegmentLayout& segment : trace.start()) addresses.push_back(segment.address);
  for (const Event& event : trace.events)
    if (event.action == Action::segment_alloc) addresses.push_back(event.address);
  return addresses;
}

/// Lets cudaMalloc answer `addresses`; returns by how much the simulation moves them. The first one
/// is asked for and given back here, and therefore listed twice.
Address serve(const std::vector<Address>& addresses) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("simgpu-addresses-" + std::to_string(getpid()) + ".txt");
  {
    std::ofstream list(file);
    list << addresses.front() << '\n';
    for (const Address address : addresses) list << address << '\n';
  }
  setenv("SIMGPU_ADDRESSES", file.c_str(), /*overwrite=*/1);
  void* first = nullptr;
  const cudaError_t error = cudaMalloc(&first, 1);
  cudaFree(first);
  std::filesystem::remove(file);
  if (error != cudaSuccess) throw std::runtime_error("the simulated GPU gives no memory");
  return reinterpret_cast<Address>(first) - addresses.front();
}

std::unique_ptr<Subject> make_torch(const Trace& trace) {
  auto torch = std::make_unique<TorchSubject>(serve(addresses_of(trace)));
  torch->configure({});
  rebuild(trace.start(), *torch);
  return torch;
}

}  // namespace

int main(int argc, char** argv) { return run_replay_program(argc, argv, make_torch); }
