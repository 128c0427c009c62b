#include "harness/workload/token_loss.hpp"

#include <gtest/gtest.h>

#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

constexpr std::int64_t kRows = 10;
constexpr std::int64_t kClasses = 7;

struct Result {
  at::Tensor loss, weight_gradient, row_gradient;
  std::int64_t most_rows = 0;  ///< of which logits were made at once
};

Result run(std::int64_t chunks) {
  seed_generators(at::kCPU, 1);
  const at::Tensor weight = at::randn({kClasses, 4}).requires_grad_(true);
  const at::Tensor rows = at::randn({kRows, 4}).requires_grad_(true);
  const at::Tensor targets = at::randint(kClasses, {kRows}, at::kLong);
  Result result;
  const TokenLoss loss(
      [&](const at::Tensor& x) {
        result.most_rows = std::max(result.most_rows, x.size(0));
        return at::linear(x, weight);
      },
      chunks);
  result.loss = loss.loss(loss.outputs(rows), targets);
  result.loss.backward();
  result.weight_gradient = weight.grad();
  result.row_gradient = rows.grad();
  return result;
}

TEST(TokenLoss, IsTheSameInChunksThatAreNotEqual) {
  const Result whole = run(1);
  const Result chunked = run(3);
  EXPECT_TRUE(at::allclose(chunked.loss, whole.loss));
  EXPECT_TRUE(at::allclose(chunked.weight_gradient, whole.weight_gradient, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(chunked.row_gradient, whole.row_gradient, 1e-5, 1e-6));
}

TEST(TokenLoss, NeverMakesTheLogitsOfMoreThanOneChunk) {
  EXPECT_EQ(run(1).most_rows, kRows);
  EXPECT_EQ(run(3).most_rows, 4);
}

}  // namespace
}  // namespace highwater
