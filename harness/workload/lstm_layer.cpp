#include "harness/workload/lstm_layer.hpp"

#include <cmath>

#include "harness/workload/recompute.hpp"

namespace highwater {
namespace {

/// LibTorch's own LSTM for its lifetime, cell by cell, on every device: cuDNN's and oneDNN's keep a
/// workspace whose size they alone know, and a simulated GPU refuses cuDNN's.
class NativeRecurrence {
 public:
  NativeRecurrence()
      : cudnn_(at::globalContext().userEnabledCuDNN()),
        onednn_(at::globalContext().userEnabledMkldnn()) {
    choose(false, false);
  }
  ~NativeRecurrence() { choose(cudnn_, onednn_); }
  NativeRecurrence(const NativeRecurrence&) = delete;
  NativeRecurrence& operator=(const NativeRecurrence&) = delete;

 private:
  static void choose(bool cudnn, bool onednn) {
    at::globalContext().setUserEnabledCuDNN(cudnn);
    at::globalContext().setUserEnabledMkldnn(onednn);
  }

  bool cudnn_;
  bool onednn_;
};

Tensors zeros(const at::Tensor& x) {
  const std::vector<std::int64_t> shape = {1, x.size(1), x.size(2)};
  return {at::zeros(shape, x.options()), at::zeros(shape, x.options())};
}

}  // namespace

LstmLayer::LstmLayer(std::int64_t width, bool attached_state, at::Device device)
    : attached_state_(attached_state) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(width));
  const auto uniform = [&](const char* name, at::IntArrayRef shape) {
    return register_parameter(name, at::empty(shape, device).uniform_(-bound, bound));
  };
  weights_ = {uniform("weight_ih", {4 * width, width}), uniform("weight_hh", {4 * width, width}),
              uniform("bias_ih", {4 * width}), uniform("bias_hh", {4 * width})};
}

at::Tensor LstmLayer::forward(const at::Tensor& x, std::int64_t first_sample) {
  State& state = states_[first_sample];
  if (!recomputing()) state.before = beginning(state, x, first_sample);
  const NativeRecurrence native;
  const auto [y, h, c] =
      at::lstm(x, state.before, weights_, /*has_biases=*/true, /*num_layers=*/1,
               /*dropout=*/0.0, /*train=*/true, /*bidirectional=*/false, /*batch_first=*/false);
  if (!recomputing()) {
    state.after = {handed_on(h), handed_on(c)};
    show(state, std::to_string(first_sample));
  }
  return y;
}

LstmLayer::Carried LstmLayer::carried() const {
  Carried carried;
  for (const auto& [first_sample, state] : states_) carried[first_sample] = state.after;
  return carried;
}

void LstmLayer::carry_on(const Carried& carried) {
  for (auto& [first_sample, state] : states_) state.forget();
  for (const auto& [first_sample, after] : carried) states_[first_sample].after = after;
  whole_.clear();
}

void LstmLayer::State::forget() {
  before.clear();
  after.clear();
  for (at::Tensor& buffer : shown) buffer.set_data(at::empty({0}, buffer.options()));
}

Tensors LstmLayer::beginning(const State& state, const at::Tensor& x, std::int64_t first_sample) {
  const std::int64_t samples = x.size(1);
  if (first_sample == 0) whole_.clear();
  if (!state.after.empty() && state.after[0].size(1) != samples) join_parts();
  if (!state.after.empty()) return state.after;
  if (whole_.empty()) return zeros(x);
  return {whole_[0].narrow(1, first_sample, samples), whole_[1].narrow(1, first_sample, samples)};
}

/// A step that ran out of memory splits the batch anew, and the state with it.
void LstmLayer::join_parts() {
  std::vector<Tensors> parts(2);
  for (auto& [first_sample, state] : states_) {
    for (std::size_t i = 0; i < state.after.size(); ++i) parts[i].push_back(state.after[i]);
    state.forget();
  }
  whole_ = {at::cat(parts[0], 1), at::cat(parts[1], 1)};
}

void LstmLayer::show(State& state, const std::string& part) {
  const Tensors memory = {state.before[0], state.before[1], state.after[0], state.after[1]};
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (state.shown.size() == i) {
      const std::string name = "state" + part + "_" + std::to_string(i);
      state.shown.push_back(register_buffer(name, at::empty({0}, memory[i].options())));
    }
    state.shown[i].set_data(memory[i].detach());
  }
}

at::Tensor LstmLayer::handed_on(const at::Tensor& state) const {
  return attached_state_ ? state : state.detach();
}

}  // namespace highwater
