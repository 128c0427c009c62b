#include <algorithm>
#include <limits>

#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

/// Elements that share a scale.
constexpr std::int64_t kBlock = 256;
/// Blocks that are decoded at a time: temporaries stay below 20 MiB however large the parameter.
constexpr std::int64_t kBlocksOfAPiece = 4096;

std::int64_t blocks_of(const at::Tensor& parameter) {
  return (parameter.numel() + kBlock - 1) / kBlock;
}

/// What is smaller than a block keeps fp32 moments.
bool is_quantised(const at::Tensor& parameter) { return parameter.numel() >= kBlock; }

/// Codes [blocks, 256] and scales [blocks, 1] of the average, then of the square.
std::vector<at::Tensor> initial_state(const at::Tensor& parameter) {
  if (!is_quantised(parameter)) return zero_moments(parameter);
  const std::int64_t blocks = blocks_of(parameter);
  const auto zeros = [&](std::int64_t width, at::ScalarType type) {
    return at::zeros({blocks, width}, parameter.options().dtype(type));
  };
  return {zeros(kBlock, at::kChar), zeros(1, at::kFloat), zeros(kBlock, at::kByte),
          zeros(1, at::kFloat)};
}

Bytes state_bytes(const at::Tensor& parameter) {
  if (!is_quantised(parameter)) return adamw_state_bytes(parameter);
  return blocks_of(parameter) * 2 * (kBlock + 4);
}

at::Tensor scales_of(const at::Tensor& values) {
  return values.abs()
      .amax(/*dim=*/1, /*keepdim=*/true)
      .clamp_min_(std::numeric_limits<float>::min());
}

/// Signed, by the square of code / 127: small averages keep more digits than a linear code gives.
at::Tensor decode_average(const at::Tensor& codes, const at::Tensor& scales) {
  const at::Tensor root = codes.to(at::kFloat).div_(127);
  return root.mul(root.abs()).mul_(scales);
}

void encode_average(const at::Tensor& values, const at::Tensor& codes, const at::Tensor& scales) {
  scales.copy_(scales_of(values));
  const at::Tensor ratio = values / scales;
  codes.copy_(ratio.abs().sqrt_().mul_(127).round_().copysign_(ratio));
}

/// By the fourth power of code / 255, which spans nine decades.
at::Tensor decode_square(const at::Tensor& codes, const at::Tensor& scales) {
  return codes.to(at::kFloat).div_(255).pow_(4).mul_(scales);
}

/// Rounded up: a second moment that became zero would divide by eps.
void encode_square(const at::Tensor& values, const at::Tensor& codes, const at::Tensor& scales) {
  scales.copy_(scales_of(values));
  codes.copy_((values / scales).pow_(0.25).mul_(255).ceil_().clamp_max_(255));
}

/// A view of all elements, in the order in which they lie in memory.
at::Tensor flat(const at::Tensor& dense) { return dense.as_strided({dense.numel()}, {1}); }

void update_blocks(ParameterState& state, std::int64_t first, std::int64_t count) {
  const auto piece = [=](const at::Tensor& tensor) { return tensor.narrow(0, first, count); };
  const std::int64_t begin = first * kBlock;
  const std::int64_t length = std::min(count * kBlock, state.parameter.numel() - begin);
  const at::Tensor average = decode_average(piece(state.tensors[0]), piece(state.tensors[1]));
  const at::Tensor square = decode_square(piece(state.tensors[2]), piece(state.tensors[3]));
  adamw_update(flat(state.parameter).narrow(0, begin, length),
               flat(state.gradient()).narrow(0, begin, length),
               average.view(-1).narrow(0, 0, length), square.view(-1).narrow(0, 0, length),
               state.step);
  encode_average(average, piece(state.tensors[0]), piece(state.tensors[1]));
  encode_square(square, piece(state.tensors[2]), piece(state.tensors[3]));
}

void update(ParameterState& state) {
  if (!is_quantised(state.parameter)) {
    adamw_update(state.parameter, state.gradient(), state.tensors[0], state.tensors[1], state.step);
    return;
  }
  const std::int64_t blocks = blocks_of(state.parameter);
  for (std::int64_t first = 0; first < blocks; first += kBlocksOfAPiece) {
    update_blocks(state, first, std::min(kBlocksOfAPiece, blocks - first));
  }
}

const RegisterTechnique registered({
    .name = "adamw_8bit",
    .summary = "AdamW with moments of one byte an element, in blocks of 256 that share a scale",
    .relieves = "optimizer_state",
    .scenario = "small",
    .when = "parameters outweigh activations, and AdamW's trajectory is to be kept",
    .cost = "moments are decoded and encoded at every update; they keep two or three digits",
    .numerics = NumericsClass::different_by_design,
    .source = "Dettmers et al. 2022, 8-bit Optimizers via Block-wise Quantization (bitsandbytes, "
              "which looks codes up in a table where powers are taken here); Hugging Face's table: "
              "BERT-large from 14.9 to 13.1 GB",
    .tags = {"full"},
    .edit =
        [](StepPlan& plan) {
          plan.optimizer = {.name = "adamw 8-bit",
                            .make = optimizer_of(
                                {.initial_state = &initial_state, .update = one_by_one(&update)}),
                            .state_bytes = &state_bytes};
        },
    // Two bytes and a 64th of eight an element.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          const std::int64_t state = baseline.at("optimizer_state_bytes");
          return promise_at_rest(state - state / 4 - state / 256);
        },
});

}  // namespace
}  // namespace highwater
