#pragma once

#include <functional>

namespace highwater {

/// Of a model whose steps hand on state outside of buffers, as a recurrence does.
class HandsOnState {
 public:
  virtual ~HandsOnState() = default;
  /// What puts that state back to what it is now.
  virtual std::function<void()> remember_state() = 0;
};

}  // namespace highwater
