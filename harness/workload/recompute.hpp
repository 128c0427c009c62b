#pragma once

namespace highwater {

/// True on a thread that is running a segment for the second time, to rebuild what it dropped.
/// Layers with running statistics must not move them then.
bool recomputing();

class RecomputeGuard {
 public:
  RecomputeGuard();
  ~RecomputeGuard();
  RecomputeGuard(const RecomputeGuard&) = delete;
  RecomputeGuard& operator=(const RecomputeGuard&) = delete;

 private:
  bool before_;
};

}  // namespace highwater
