#include "harness/workload/autocast_guard.hpp"

namespace highwater {
namespace {

void apply(const AutocastState& state) {
  at::autocast::set_autocast_enabled(state.device_type, state.enabled);
  at::autocast::set_autocast_dtype(state.device_type, state.dtype);
  at::autocast::set_autocast_cache_enabled(state.cache_enabled);
}

}  // namespace

AutocastState AutocastState::current(at::DeviceType device_type) {
  return {.device_type = device_type,
          .enabled = at::autocast::is_autocast_enabled(device_type),
          .dtype = at::autocast::get_autocast_dtype(device_type),
          .cache_enabled = at::autocast::is_autocast_cache_enabled()};
}

AutocastGuard::AutocastGuard(const AutocastState& state)
    : before_(AutocastState::current(state.device_type)) {
  apply(state);
  at::autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard() {
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  apply(before_);
}

}  // namespace highwater
