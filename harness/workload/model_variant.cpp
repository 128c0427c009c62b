#include "harness/workload/model_variant.hpp"

#include <algorithm>

#include "harness/workload/segment.hpp"

namespace highwater {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::int64_t ModelVariant::width_of(std::int64_t own) const {
  return std::max<std::int64_t>(1, own / width_divisor);
}

std::int64_t ModelVariant::depth_of(std::int64_t own) const {
  return std::max<std::int64_t>(1, own / depth_divisor);
}

std::map<std::string, std::string> describe(const ModelVariant& variant) {
  return {
      {"batch_divisor", std::to_string(variant.batch_divisor)},
      {"width_divisor", std::to_string(variant.width_divisor)},
      {"depth_divisor", std::to_string(variant.depth_divisor)},
      {"small_kernels", yes_no(variant.small_kernels)},
      {"rank_divisor", std::to_string(variant.rank_divisor)},
      {"lora_rank", std::to_string(variant.lora_rank)},
      {"inplace_relu", yes_no(variant.inplace_relu)},
      {"channels_last", yes_no(variant.channels_last)},
      {"loss_chunks", std::to_string(variant.loss_chunks)},
      {"attached_state", yes_no(variant.attached_state)},
      {"attention_wrap", name_of(variant.attention_wrap.get())},
      {"activation_wrap", name_of(variant.activation_wrap.get())},
  };
}

}  // namespace highwater
