#include "harness/run/numerics_pass.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "harness/run/workload_factory.hpp"
#include "harness/workload/out_of_memory.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

constexpr int kComparedUpdates = 3;

/// Honest fp16 runs of four models differed by 3e-6 to 6e-4 in loss over three updates.
constexpr double kLossTolerance = 2e-3;

/// Where the loss itself is taken in 16 bits, one rounding of which is up to 5e-4: 2.4e-3 was seen
/// on ResNet-50 with fp16 parameters.
constexpr double kHalfLossTolerance = 1e-2;

/// AdamW moves a weight by its learning rate whatever the gradient's size, so rounding that flips
/// the sign of a tiny one moves it the other way; a fifth of the learning rate or half of the
/// weights is more.
constexpr double kTravelTolerance = 0.5;

/// Autocast also rounds every intermediate: 1.1 to 1.8 times the effect of rounding weights and
/// inputs was seen on ResNets of four sizes under LibTorch and PyTorch.
constexpr double kRoundingMargin = 3.0;

/// Gradients this much smaller than the largest are noise of the arithmetic.
constexpr double kSmallGradient = 1e-3;

/// What the first updates of a training run looked like.
struct Trajectory {
  std::vector<Tensors> gradients;  ///< by update, then parameter
  std::vector<double> losses;      ///< by update
  Tensors travelled;               ///< by parameter: weights after the last update minus before
};

/// One update. Steps that a scaler skips are repeated under the same seed and from the same state,
/// so that both sides draw the same masks and go on from the same place for the same update.
/// Returns the loss.
double seeded_update(const Workload& workload, at::Device device) {
  const auto seed = kSeed + 1 + static_cast<std::uint64_t>(workload.runner->updates());
  double loss = 0;
  bool again = false;
  const auto before = handed_on_state(*workload.model, device);
  update(workload, [&] {
    if (std::exchange(again, true) && before) before->restore();
    seed_generators(device, seed);
    loss = workload.runner->step(workload.batch).item<double>();
  });
  return loss;
}

Tensors copies(const Tensors& tensors) {
  Tensors copied;
  for (const at::Tensor& tensor : tensors) copied.push_back(tensor.detach().clone());
  return copied;
}

Tensors gradients_of(const Workload& workload) {
  const double scale = workload.runner->gradient_scale();
  Tensors gradients;
  for (const at::Tensor& parameter : workload.runner->parameters()) {
    const at::Tensor& gradient = parameter.grad();
    gradients.push_back(gradient.defined() ? gradient.clone() : at::zeros_like(parameter));
    if (scale != 1.0) gradients.back() = gradients.back().to(at::kFloat).div_(scale);
  }
  return gradients;
}

Trajectory record(const Workload& workload, at::Device device) {
  Trajectory trajectory;
  const Tensors start = copies(workload.runner->parameters());
  for (int i = 0; i < kComparedUpdates; ++i) {
    trajectory.losses.push_back(seeded_update(workload, device));
    trajectory.gradients.push_back(gradients_of(workload));
  }
  trajectory.travelled = copies(workload.runner->parameters());
  for (std::size_t p = 0; p < start.size(); ++p) trajectory.travelled[p] -= start[p];
  return trajectory;
}

bool equal_weights(const Trajectory& a, const Trajectory& b) {
  return std::ranges::equal(a.travelled, b.travelled,
                            [](const auto& x, const auto& y) { return at::equal(x, y); });
}

bool bit_equal(const Trajectory& a, const Trajectory& b) {
  if (!equal_weights(a, b)) return false;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    for (std::size_t p = 0; p < a.gradients[i].size(); ++p) {
      if (!at::equal(a.gradients[i][p], b.gradients[i][p])) return false;
    }
  }
  return true;
}

double l2_norm(const at::Tensor& tensor) { return tensor.norm().item<double>(); }

/// The worst parameter's |a - b| / |a|; infinite where something is not finite.
double gradient_difference(const Tensors& reference, const Tensors& candidate) {
  double largest = 0;
  for (const at::Tensor& tensor : reference) largest = std::max(largest, l2_norm(tensor));
  double worst = 0;
  for (std::size_t p = 0; p < reference.size(); ++p) {
    const double scale = std::max(l2_norm(reference[p]), kSmallGradient * largest);
    const double difference = l2_norm(reference[p] - candidate[p]);
    if (!std::isfinite(difference)) return INFINITY;
    if (difference > 0) worst = std::max(worst, difference / scale);
  }
  return worst;
}

double loss_difference(const Trajectory& reference, const Trajectory& candidate) {
  double difference = 0;
  for (std::size_t i = 0; i < reference.losses.size(); ++i) {
    const double d = std::abs(reference.losses[i] - candidate.losses[i]) /
                     std::max(std::abs(reference.losses[i]), 1e-6);
    if (!std::isfinite(d)) return INFINITY;
    difference = std::max(difference, d);
  }
  return difference;
}

/// |a - b| / |a| over all weights at once.
double travel_difference(const Trajectory& reference, const Trajectory& candidate) {
  double squares = 0;
  double difference = 0;
  for (std::size_t p = 0; p < reference.travelled.size(); ++p) {
    squares += std::pow(l2_norm(reference.travelled[p]), 2);
    difference += std::pow(l2_norm(reference.travelled[p] - candidate.travelled[p]), 2);
  }
  return std::isfinite(difference) ? std::sqrt(difference / squares) : INFINITY;
}

bool finite_weights(const Workload& workload) {
  return std::ranges::all_of(workload.runner->parameters(), [](const at::Tensor& parameter) {
    return at::isfinite(parameter).all().item<bool>();
  });
}

/// The check of one cell: what it compares with, and how much it allows.
class NumericsPass {
 public:
  NumericsPass(const DeviceSession& session, const Cell& cell,
               const std::vector<TechniqueDeclaration>& techniques)
      : device_(session.device()), cell_(cell), plan_(make_plan(techniques)) {
    const ModelDeclaration& model = ModelRegistry::instance().find(cell.model);
    parts_ = plan_.micro_batches * plan_.devices;
    const bool splits = parts_ > 1;
    if (splits && model.has_dropout) dropout_ = 0.0;
    sums_parts_ = splits && model.has_batch_statistics;
    for (const TechniqueDeclaration& technique : techniques) {
      expected_ = std::max(expected_, technique.numerics);
      tolerance_ += technique.tolerance;
    }
  }

  Numerics run(const Protocol& protocol) {
    const Trajectory reference = record(workload(StepPlan{}), device_);
    const Workload trained = workload(plan_);
    const Trajectory candidate = record(trained, device_);
    const bool close = compare(reference, candidate);
    numerics_.first_loss = candidate.losses.front();
    numerics_.last_loss = candidate.losses.back();
    for (int i = kComparedUpdates; i < protocol.numerics_steps; ++i) {
      numerics_.last_loss = seeded_update(trained, device_);
    }
    const bool finite = finite_weights(trained);
    const bool trains = finite && numerics_.last_loss < numerics_.first_loss;
    details_ << "; loss went from " << numerics_.first_loss << " to " << numerics_.last_loss
             << (finite ? "" : "; a weight is not finite");
    numerics_.detail = details_.str();
    if (expected_ == NumericsClass::diverges) {
      numerics_.verdict = finite ? "wrong" : "diverges";
    } else {
      numerics_.verdict = trains ? verdict(equal(reference, candidate), close) : "wrong";
    }
    return numerics_;
  }

  /// A plan that only runs forward computes the loss of a plain forward, bit for bit.
  Numerics compare_forwards() {
    const double reference = seeded_update(workload(StepPlan{}), device_);
    const Workload forward = workload(plan_);
    numerics_.first_loss = seeded_update(forward, device_);
    numerics_.last_loss = seeded_update(forward, device_);
    numerics_.verdict = numerics_.first_loss == reference ? "bit_equal" : "wrong";
    details_ << "nothing is trained; the loss is " << numerics_.first_loss
             << ", that of baseline's first forward " << reference;
    numerics_.detail = details_.str();
    return numerics_;
  }

 private:
  Workload workload(const StepPlan& plan) const {
    return make_workload(cell_, device_, plan, nullptr, dropout_);
  }

  /// Whether the candidate is as close as its techniques state.
  bool compare(const Trajectory& reference, const Trajectory& candidate) {
    if (expected_ >= NumericsClass::different_by_design) {
      details_ << "another computation by design";
      return true;
    }
    if (plan_.update == UpdateTime::in_backward) {
      const double travel = travel_difference(reference, candidate);
      details_ << "updates differ by " << travel << " (no gradient is kept to compare)";
      return travel <= (expected_ == NumericsClass::bit_equal ? 0 : kTravelTolerance);
    }
    const Tensors expected = sums_parts_ ? summed_parts() : reference.gradients.at(0);
    const Limits limits = limits_beside(reference);
    numerics_.tolerance = limits.gradients;
    numerics_.gradient_difference = gradient_difference(expected, candidate.gradients.at(0));
    details_ << "gradients differ by " << numerics_.gradient_difference << " (allowed "
             << numerics_.tolerance << ")";
    const bool gradients = numerics_.gradient_difference <= numerics_.tolerance;
    if (sums_parts_) {
      details_ << " from those of the parts summed by hand";
      return gradients;
    }
    const double losses = loss_difference(reference, candidate);
    const double travel = travel_difference(reference, candidate);
    details_ << ", losses by " << losses << " (allowed " << limits.losses << "), updates by "
             << travel;
    return gradients && losses <= limits.losses && travel <= kTravelTolerance;
  }

  /// What the plan rounds intermediate or saved values to.
  std::optional<at::ScalarType> rounded_to() const {
    if (plan_.autocast) return plan_.autocast->dtype;
    if (plan_.dtype != at::kFloat) return plan_.dtype;
    return plan_.packing ? plan_.packing->rounds_to() : std::nullopt;
  }

  /// What gradients and losses may differ by: what the techniques state, or what rounding alone
  /// does, with a margin, where that is more.
  struct Limits {
    double gradients;
    double losses;
  };

  Limits limits_beside(const Trajectory& reference) const {
    const double losses = plan_.dtype == at::kFloat ? kLossTolerance : kHalfLossTolerance;
    const Limits stated{.gradients = tolerance_, .losses = std::min(tolerance_, losses)};
    const auto dtype = rounded_to();
    if (!dtype) return stated;
    const Trajectory rounded = record(rounded_workload(*dtype), device_);
    const auto widened = [](double limit, double difference) {
      return std::isfinite(difference) ? std::max(limit, kRoundingMargin * difference) : limit;
    };
    return {.gradients = widened(stated.gradients, gradient_difference(reference.gradients.at(0),
                                                                       rounded.gradients.at(0))),
            .losses = widened(stated.losses, loss_difference(reference, rounded))};
  }

  /// The baseline with weights and inputs rounded to the precision of the plan, and nothing else
  /// done. Batch-normalised networks amplify rounding: in gradients 1e-3 in, 0.1 out; losses of
  /// ResNet twins moved by 8e-3 over three updates.
  Workload rounded_workload(at::ScalarType dtype) const {
    Workload rounded = workload(StepPlan{});
    const auto round = [&](const at::Tensor& tensor) {
      const at::NoGradGuard no_grad;
      if (tensor.is_floating_point()) tensor.copy_(tensor.to(dtype));
    };
    std::ranges::for_each(rounded.runner->parameters(), round);
    std::ranges::for_each(rounded.batch.inputs, round);
    return rounded;
  }

  Tensors summed_parts() const {
    const Workload parts = workload(StepPlan{.gradient_reset = GradientReset::set_to_none});
    const Tensors start = copies(parts.runner->parameters());
    Tensors sum(start.size());
    seed_generators(device_, kSeed + 1);
    for (const Batch& part : parts.batch.split(parts_)) {
      const at::NoGradGuard no_grad;
      for (std::size_t p = 0; p < start.size(); ++p) parts.runner->parameters()[p].copy_(start[p]);
      {
        const at::AutoGradMode grad_mode(true);
        parts.runner->step(part);
      }
      const double share =
          static_cast<double>(part.size()) / static_cast<double>(parts.batch.size());
      const Tensors gradients = gradients_of(parts);
      for (std::size_t p = 0; p < sum.size(); ++p) {
        sum[p] = sum[p].defined() ? sum[p] + gradients[p] * share : gradients[p] * share;
      }
    }
    return sum;
  }

  bool equal(const Trajectory& reference, const Trajectory& candidate) const {
    if (expected_ >= NumericsClass::different_by_design) return false;
    return plan_.update == UpdateTime::in_backward ? equal_weights(reference, candidate)
                                                   : bit_equal(reference, candidate);
  }

  std::string verdict(bool equal, bool close) const {
    if (equal) return "bit_equal";
    const bool by_design = sums_parts_ || expected_ == NumericsClass::different_by_design;
    if (by_design) return close || !sums_parts_ ? "different_by_design" : "wrong";
    return expected_ == NumericsClass::tolerance && close ? "within_tolerance" : "wrong";
  }

  at::Device device_;
  const Cell& cell_;
  StepPlan plan_;
  std::optional<double> dropout_;
  std::int64_t parts_ = 1;
  bool sums_parts_ = false;
  NumericsClass expected_ = NumericsClass::bit_equal;
  double tolerance_ = 0;
  Numerics numerics_;
  std::ostringstream details_;
};

}  // namespace

Numerics check_numerics(const DeviceSession& session, const Cell& cell,
                        const std::vector<TechniqueDeclaration>& techniques,
                        const Protocol& protocol) {
  NumericsPass pass(session, cell, techniques);
  return make_plan(techniques).mode == StepMode::train ? pass.run(protocol)
                                                       : pass.compare_forwards();
}

}  // namespace highwater
