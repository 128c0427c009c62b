#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "simgpu/device/kernels.hpp"
#include "simgpu/device/report.hpp"
#include "tests/simgpu/torch_probes.hpp"

/// Probes of streams, graphs and values.

namespace {

using at::Tensor;

template <class Value>
void print(const char* key, const Value& value) {
  std::cout << key << ' ' << value << '\n';
}

c10::CachingDeviceAllocator::DeviceStats stats() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0);
}

void start_device() { at::globalContext().lazyInitDevice(c10::DeviceType::CUDA); }

at::TensorOptions floats() { return at::TensorOptions().device(at::kCUDA).dtype(at::kFloat); }

/// The allocator looks for finished events whenever it is asked for memory.
std::int64_t active_bytes() {
  at::empty({1}, floats());
  return stats().active_bytes[0].current;
}

/// Memory that another stream still works on is not free for others.
void shared_between_streams() {
  start_device();
  const auto side = c10::cuda::getStreamFromPool();
  Tensor shared = at::empty({1 << 20}, floats());
  c10::cuda::CUDACachingAllocator::recordStream(shared.storage().data_ptr(), side);
  {
    const c10::cuda::CUDAStreamGuard guard(side);
    for (int i = 0; i < 50; ++i) shared.add_(1);
  }
  shared.reset();
  print("bytes_before_waiting", active_bytes());
  side.synchronize();
  print("bytes_after_waiting", active_bytes());
}

void graph() {
  start_device();
  Tensor weight = at::ones({64, 64}, floats());
  const Tensor input = at::ones({64, 64}, floats());
  const auto side = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(side);
  const auto step = [&] { return at::dropout(at::mm(input, weight), 0.5, true).sum(); };
  step();
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  const Tensor result = step();
  graph.capture_end();
  const auto before = simgpu::kernel_launches();
  const std::int64_t reserved = stats().reserved_bytes[0].current;
  graph.replay();
  const auto once = simgpu::kernel_launches() - before;
  graph.replay();
  print("launches_a_replay", once);
  print("launches_of_two_replays", simgpu::kernel_launches() - before);
  print("growth_bytes", stats().reserved_bytes[0].current - reserved);
  print("value", result.item<float>());
}

/// Notes of a kind, counted as often as they were made; of one text, if one is given.
std::uint64_t notes_of(std::string_view kind, std::string_view text = {}) {
  std::uint64_t count = 0;
  for (const auto& note : simgpu::report_page().notes)
    if (kind == note.kind && (text.empty() || text == note.text)) count += note.count;
  return count;
}

void values() {
  start_device();
  const Tensor numbers = at::ones({1000}, floats());
  const Tensor others = at::zeros({1000}, floats());
  at::equal(numbers, others);
  at::equal(numbers, others);
  numbers.sum().item<float>();
  print("sizes_by_value", notes_of("size-by-value"));
  at::nonzero(numbers);
  print("sizes_by_value_in_nonzero", notes_of("size-by-value", "aten::nonzero"));
  print("reads", notes_of("unlike-device"));
  const Tensor sent = at::ones({4}).to(at::kCUDA);
  const Tensor doubled = sent + sent;
  print("sent", sent.cpu()[3].item<float>());
  print("doubled", doubled.cpu()[3].item<float>());
  for (int i = 0; i < 100; ++i) {
    at::ones({}).to(at::kCUDA);
    if (numbers.sum().item<float>() != 0) print("garbage", i);
  }
}

}  // namespace

bool run_stream_probe(const std::string& name) {
  static const std::map<std::string, void (*)()> probes = {
      {"shared_between_streams", shared_between_streams},
      {"graph", graph},
      {"values", values},
  };
  const auto probe = probes.find(name);
  if (probe == probes.end()) return false;
  probe->second();
  return true;
}
