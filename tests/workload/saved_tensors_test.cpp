#include "harness/workload/saved_tensors.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace highwater {
namespace {

/// Counts what is saved and hands it back unchanged.
struct CountingHooks : torch::autograd::SavedVariableHooks {
  explicit CountingHooks(int& count) : count_(count) {}
  void call_pack_hook(const at::Tensor& tensor) override {
    ++count_;
    tensor_ = tensor;
  }
  at::Tensor call_unpack_hook() override { return tensor_; }

 private:
  int& count_;
  at::Tensor tensor_;
};

SavedTensorHooksFactory counting(int& count) {
  return [&count] { return std::make_unique<CountingHooks>(count); };
}

TEST(SavedTensorHooksGuard, SeesEveryTensorThatIsSavedWhileItLives) {
  int count = 0;
  const at::Tensor x = at::ones({2}).requires_grad_(true);
  {
    const SavedTensorHooksGuard guard(counting(count));
    x.tanh();
    (x * x).sum();
  }
  EXPECT_EQ(count, 3);
  x.tanh();
  EXPECT_EQ(count, 3);
}

TEST(SavedTensorHooksGuard, TheInnermostWins) {
  int outer_count = 0;
  int inner_count = 0;
  const at::Tensor x = at::ones({2}).requires_grad_(true);
  const SavedTensorHooksGuard outer(counting(outer_count));
  {
    const SavedTensorHooksGuard inner(counting(inner_count));
    x.tanh();
  }
  EXPECT_EQ(inner_count, 1);
  EXPECT_EQ(outer_count, 0);
}

TEST(SavedTensorHooksGuard, PassesTheTensorsBackToBackward) {
  int count = 0;
  const at::Tensor x = at::full({2}, 3.0F).requires_grad_(true);
  at::Tensor y;
  {
    const SavedTensorHooksGuard guard(counting(count));
    y = (x * x).sum();
  }
  y.backward();
  EXPECT_EQ(x.grad()[0].item<float>(), 6.0F);
}

// pytorch#60975: backward would compute with what the hook had made of its input.
TEST(SavedTensorHooksGuard, RefusesHooksThatModifyWhatTheyAreGiven) {
  struct ModifyingHooks : torch::autograd::SavedVariableHooks {
    void call_pack_hook(const at::Tensor& tensor) override { tensor.mul_(2); }
    at::Tensor call_unpack_hook() override { return {}; }
  };
  const at::Tensor x = at::ones({2}).requires_grad_(true);
  const SavedTensorHooksGuard guard([] { return std::make_unique<ModifyingHooks>(); });
  EXPECT_THROW(x.exp(), c10::Error);
}

}  // namespace
}  // namespace highwater
