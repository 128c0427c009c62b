#include "harness/workload/random_state.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace highwater {
namespace {

at::Tensor state_of(at::Generator generator) {
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

void restore_to(at::Generator generator, const at::Tensor& state) {
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state);
}

at::Generator default_generator(at::Device device) {
  return at::globalContext().defaultGenerator(device);
}

}  // namespace

RandomState RandomState::current(at::Device device) {
  RandomState state;
  state.device_ = device;
  state.cpu_ = state_of(default_generator(at::kCPU));
  if (!device.is_cpu()) state.accelerator_ = state_of(default_generator(device));
  return state;
}

void RandomState::restore() const {
  restore_to(default_generator(at::kCPU), cpu_);
  if (!device_.is_cpu()) restore_to(default_generator(device_), accelerator_);
}

void seed_generators(at::Device device, std::uint64_t seed) {
  const auto seed_one = [seed](at::Generator generator) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
  };
  seed_one(default_generator(at::kCPU));
  if (!device.is_cpu()) seed_one(default_generator(device));
}

}  // namespace highwater
