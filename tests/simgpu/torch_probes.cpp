#include "tests/simgpu/torch_probes.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <dlfcn.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "simgpu/device/kernels.hpp"

// ATen/cuda/CUDAContextLight.h declares it, but includes cuBLAS headers that need a full toolkit.
namespace at::cuda {
cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
}

namespace {

using at::Tensor;

constexpr std::int64_t mib = 1 << 20;

template <class Value>
void print(const char* key, const Value& value) {
  std::cout << key << ' ' << value << '\n';
}

c10::CachingDeviceAllocator::DeviceStats stats() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0);
}

std::int64_t allocated() { return stats().allocated_bytes[0].current; }
std::int64_t peak() { return stats().allocated_bytes[0].peak; }
std::int64_t reserved() { return stats().reserved_bytes[0].current; }

void start_device() { at::globalContext().lazyInitDevice(c10::DeviceType::CUDA); }

at::TensorOptions floats() { return at::TensorOptions().device(at::kCUDA).dtype(at::kFloat); }

Tensor bytes_on_device(std::int64_t bytes) { return at::empty({bytes}, floats().dtype(at::kByte)); }

void properties() {
  start_device();
  const cudaDeviceProp* seen = at::cuda::getDeviceProperties(0);
  print("major", seen->major);
  print("minor", seen->minor);
  print("multiprocessors", seen->multiProcessorCount);
  print("total_memory_bytes", seen->totalGlobalMem);
  print("l2_cache_bytes", seen->l2CacheSize);
  print("warp_size", seen->warpSize);
  print("threads_per_multiprocessor", seen->maxThreadsPerMultiProcessor);
  print("threads_per_block", seen->maxThreadsPerBlock);
  print("registers_per_multiprocessor", seen->regsPerMultiprocessor);
  print("shared_per_block_bytes", seen->sharedMemPerBlock);
  print("shared_per_block_optin_bytes", seen->sharedMemPerBlockOptin);
  print("shared_per_multiprocessor_bytes", seen->sharedMemPerMultiprocessor);
  print("bus_width_bits", seen->memoryBusWidth);
}

void reserve() {
  start_device();
  const Tensor gigabyte = bytes_on_device(1024 * mib);
  print("allocated_bytes", allocated());
  print("reserved_bytes", reserved());
}

/// Bytes that stay allocated after a product, beyond its result: the cuBLAS workspace.
void matmul() {
  start_device();
  const Tensor a = at::empty({256, 256}, floats());
  const std::int64_t before = allocated();
  const Tensor product = at::mm(a, a);
  print("workspace_bytes", allocated() - before - static_cast<std::int64_t>(product.nbytes()));
}

/// Bytes a reduction to one value needs while it runs, beyond its input and its result.
void reduction() {
  start_device();
  const Tensor large = at::empty({64 * mib}, floats());
  const std::int64_t before = allocated();
  c10::cuda::CUDACachingAllocator::resetPeakStats(0);
  const Tensor largest = large.max();
  print("buffer_bytes", peak() - before);
}

void out_of_memory() {
  start_device();
  std::vector<Tensor> held;
  try {
    for (int block = 0; block < 4; ++block) held.push_back(bytes_on_device(256 * mib));
    print("thrown", 0);
  } catch (const c10::OutOfMemoryError&) {
    print("thrown", 1);
  }
  print("blocks", held.size());
  print("ooms", stats().num_ooms);
  print("retries", stats().num_alloc_retries);
}

/// A cached block is in the way of a larger one: the allocator flushes its cache and tries again.
void retry() {
  start_device();
  bytes_on_device(300 * mib);
  const Tensor larger = bytes_on_device(400 * mib);
  print("ooms", stats().num_ooms);
  print("retries", stats().num_alloc_retries);
  print("reserved_bytes", reserved());
}

struct Parameter {
  Tensor value, first_moment, second_moment, step;

  explicit Parameter(at::IntArrayRef shape)
      : value(at::randn(shape, floats()).set_requires_grad(true)),
        first_moment(at::zeros(shape, floats())),
        second_moment(at::zeros(shape, floats())),
        step(at::zeros({}, floats())) {}
};

using Parameters = std::vector<Parameter>;

Tensor forward(const Parameters& parameters, Tensor x) {
  for (std::size_t layer = 0; layer + 1 < parameters.size(); layer += 2)
    x = at::relu(at::linear(x, parameters[layer].value, parameters[layer + 1].value));
  return x.square().mean();
}

template <Tensor Parameter::*member>
std::vector<Tensor> all(const Parameters& parameters) {
  std::vector<Tensor> tensors;
  for (const Parameter& parameter : parameters) tensors.push_back(parameter.*member);
  return tensors;
}

std::vector<Tensor> gradients(const Parameters& parameters) {
  std::vector<Tensor> tensors;
  for (const Parameter& parameter : parameters) tensors.push_back(parameter.value.grad());
  return tensors;
}

void train_once(Parameters& parameters, const Tensor& batch) {
  forward(parameters, batch).backward();
  const c10::NoGradGuard guard;
  at::_fused_adamw_(all<&Parameter::value>(parameters), gradients(parameters),
                    all<&Parameter::first_moment>(parameters),
                    all<&Parameter::second_moment>(parameters), {},
                    all<&Parameter::step>(parameters), /*lr=*/1e-3, /*beta1=*/0.9,
                    /*beta2=*/0.999, /*weight_decay=*/0.01, /*eps=*/1e-8, /*amsgrad=*/false,
                    /*maximize=*/false);
  for (Parameter& parameter : parameters) parameter.value.mutable_grad().reset();
}

void training() {
  constexpr int layers = 4;
  constexpr std::int64_t width = 512, rows = 2048;
  start_device();
  Parameters parameters;
  for (int layer = 0; layer < layers; ++layer) {
    parameters.emplace_back(at::IntArrayRef{width, width});
    parameters.emplace_back(at::IntArrayRef{width});
  }
  const Tensor batch = at::randn({rows, width}, floats());
  for (int step = 0; step < 3; ++step) train_once(parameters, batch);
  print("peak_bytes", peak());
  print("peak_reserved_bytes", stats().reserved_bytes[0].peak);
  print("kernel_launches", simgpu::kernel_launches());
  print("library_calls", simgpu::library_calls());
}

void read_back() {
  start_device();
  print("value", at::full({1}, 7.0, floats()).item<float>());
}

/// Operators whose host code asks the device for more than memory: CUB's dispatch (by the embedded
/// image), split reductions, attention, random numbers, embeddings with their sorted backward.
void operators() {
  start_device();
  at::globalContext().setSDPUseCuDNN(false);
  const Tensor table = at::randn({1000, 64}, floats()).set_requires_grad(true);
  const Tensor tokens = at::zeros({8, 128}, floats().dtype(at::kLong));
  const Tensor x = at::dropout(at::embedding(table, tokens), 0.1, true);
  const Tensor heads = x.to(at::kBFloat16).view({8, 128, 4, 16}).transpose(1, 2);
  const Tensor attended = at::scaled_dot_product_attention(heads, heads, heads, {}, 0.0, true);
  const Tensor normed = at::layer_norm(attended.transpose(1, 2).reshape({8 * 128, 64}), {64});
  const Tensor logits = at::matmul(at::gelu(normed), table.to(at::kBFloat16).t());
  at::cross_entropy_loss(logits.to(at::kFloat), tokens.view(-1)).backward();
  at::sort(logits);
  at::topk(logits, 5);
  at::cumsum(logits, 1);
  at::native_batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5);
  at::linear(x, at::ones({32, 64}, floats()), at::ones({32}, floats()));
  at::bmm(x, x.transpose(1, 2));
  print("gradient_bytes", table.grad().nbytes());
}

/// A copy from one device to another, and pinned memory.
void transfers() {
  start_device();
  const Tensor second = at::empty({mib}, floats().device(at::Device(at::kCUDA, 1)));
  const Tensor first = second.to(at::Device(at::kCUDA, 0));
  const Tensor pinned = at::empty({mib}, at::TensorOptions().pinned_memory(true));
  pinned.copy_(first, /*non_blocking=*/true);
  print("devices", static_cast<int>(c10::cuda::device_count()));
  print("first_bytes", allocated());
  print("second_bytes",
        c10::cuda::CUDACachingAllocator::getDeviceStats(1).allocated_bytes[0].current);
  print("is_pinned", pinned.is_pinned() ? 1 : 0);
}

/// Opens Torch's libraries again with every symbol resolved, as Python's import does.
void resolve() {
  int opened = 0;
  for (const char* name : {"libc10_cuda", "libtorch_cpu", "libtorch_cuda", "libtorch_cuda_linalg",
                           "libtorch_nvshmem", "libcaffe2_nvrtc"}) {
    const std::string path = std::string(SIMGPU_TORCH_LIBRARY_DIR) + "/" + name + ".so";
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
      ++opened;
    else
      std::cout << dlerror() << '\n';
  }
  print("opened", opened);
}

void host_access() {
  start_device();
  const Tensor numbers = at::empty({1000}, floats());
  print("value", *static_cast<volatile float*>(numbers.data_ptr()));
}

void without_device() {
  print("devices", static_cast<int>(c10::cuda::device_count()));
  print("sum", at::ones({3}).sum().item<float>());
}

}  // namespace

bool run_probe(const std::string& name) {
  static const std::map<std::string, void (*)()> probes = {
      {"properties", properties},
      {"reserve", reserve},
      {"matmul", matmul},
      {"reduction", reduction},
      {"out_of_memory", out_of_memory},
      {"retry", retry},
      {"training", training},
      {"read_back", read_back},
      {"operators", operators},
      {"transfers", transfers},
      {"resolve", resolve},
      {"host_access", host_access},
      {"without_device", without_device},
  };
  const auto probe = probes.find(name);
  if (probe == probes.end()) return run_stream_probe(name) || run_cudnn_probe(name);
  probe->second();
  return true;
}
