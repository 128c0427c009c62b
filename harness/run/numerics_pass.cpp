#include "harness/run/numerics_pass.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/run/workload_factory.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

constexpr int kComparedUpdates = 3;
constexpr int kMaxSkippedSteps =
    24;  // as in the memory pass: from 65536 a scale reaches 1 after 16

/// What the first updates of a training run looked like.
struct Trajectory {
  std::vector<std::vector<at::Tensor>> gradients;  ///< by update, then parameter
  std::vector<double> losses;                      ///< by update
};

/// One update. Steps that a scaler skips are repeated under the same seed, so that both sides draw
/// the same masks for the same update.
double update(const Workload& workload, at::Device device) {
  const std::int64_t before = workload.runner->updates();
  double loss = 0;
  for (int i = 0; i < kMaxSkippedSteps && workload.runner->updates() == before; ++i) {
    seed_generators(device, kSeed + 1 + static_cast<std::uint64_t>(before));
    loss = workload.runner->step(workload.batch).item<double>();
  }
  return loss;
}

Trajectory record(const Workload& workload, at::Device device) {
  Trajectory trajectory;
  for (int i = 0; i < kComparedUpdates; ++i) {
    trajectory.losses.push_back(update(workload, device));
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : workload.runner->parameters()) {
      gradients.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::Tensor());
    }
    trajectory.gradients.push_back(std::move(gradients));
  }
  return trajectory;
}

bool bit_equal(const Trajectory& a, const Trajectory& b) {
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    for (std::size_t p = 0; p < a.gradients[i].size(); ++p) {
      const at::Tensor& left = a.gradients[i][p];
      const at::Tensor& right = b.gradients[i][p];
      if (left.defined() != right.defined()) return false;
      if (left.defined() && !at::equal(left, right)) return false;
    }
  }
  return true;
}

/// max|a - b| / max|a| over all gradients of the first update; infinite where one side lacks one.
double gradient_difference(const Trajectory& reference, const Trajectory& candidate) {
  double difference = 0;
  double largest = 0;
  for (std::size_t p = 0; p < reference.gradients.at(0).size(); ++p) {
    const at::Tensor& expected = reference.gradients[0][p];
    const at::Tensor& actual = candidate.gradients[0][p];
    if (expected.defined() != actual.defined()) return INFINITY;
    if (!expected.defined()) continue;
    const double d = (expected - actual).abs().max().item<double>();
    if (!std::isfinite(d)) return INFINITY;
    difference = std::max(difference, d);
    largest = std::max(largest, expected.abs().max().item<double>());
  }
  return largest == 0 ? difference : difference / largest;
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

bool finite_weights(const Workload& workload) {
  return std::ranges::all_of(workload.runner->parameters(), [](const at::Tensor& parameter) {
    return at::isfinite(parameter).all().item<bool>();
  });
}

/// How far the baseline's own gradients move when weights and inputs are rounded to the precision
/// of the plan, and nothing else is done. Batch-normalised networks amplify rounding: 1e-3 in, 0.1
/// out.
double rounding_sensitivity(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                            std::optional<double> dropout, const Trajectory& reference) {
  const Workload rounded = make_workload(cell, session.device(), StepPlan{}, nullptr, dropout);
  const at::NoGradGuard no_grad;
  const auto round = [&](at::Tensor tensor) {
    if (tensor.is_floating_point()) tensor.copy_(tensor.to(plan.autocast->dtype));
  };
  for (const at::Tensor& parameter : rounded.runner->parameters()) round(parameter);
  for (const at::Tensor& input : rounded.batch.inputs) round(input);
  const at::AutoGradMode grad_mode(true);
  return gradient_difference(reference, record(rounded, session.device()));
}

/// Autocast also rounds every intermediate: 1.1 to 1.8 times the effect of rounding weights and
/// inputs was seen on ResNets of four sizes under LibTorch and PyTorch.
constexpr double kRoundingMargin = 3.0;

/// What may be expected of a composition: its weakest part.
struct Expectation {
  NumericsClass numerics = NumericsClass::bit_equal;
  double tolerance = 0;
};

Expectation expect(const std::vector<TechniqueDeclaration>& techniques, const StepPlan& plan,
                   const ModelDeclaration& model) {
  Expectation expectation;
  for (const TechniqueDeclaration& technique : techniques) {
    expectation.numerics = std::max(expectation.numerics, technique.numerics);
    expectation.tolerance += technique.tolerance;
  }
  if (plan.micro_batches > 1 && model.has_batch_statistics) {
    expectation.numerics = NumericsClass::different_by_design;
  }
  return expectation;
}

std::string sentence(const Numerics& numerics, bool finite, double losses) {
  std::ostringstream text;
  text << "gradients differ by " << numerics.gradient_difference << " of the largest (allowed "
       << numerics.tolerance << "), losses by " << losses << "; loss went from "
       << numerics.first_loss << " to " << numerics.last_loss
       << (finite ? "" : "; a weight is not finite");
  return text.str();
}

}  // namespace

Numerics check_numerics(const DeviceSession& session, const Cell& cell,
                        const std::vector<TechniqueDeclaration>& techniques,
                        const Protocol& protocol) {
  const StepPlan plan = make_plan(techniques);
  const ModelDeclaration& model = ModelRegistry::instance().find(cell.model);
  const Expectation expected = expect(techniques, plan, model);
  std::optional<double> dropout;
  if (plan.micro_batches > 1 && model.has_dropout) dropout = 0.0;

  const Trajectory reference =
      record(make_workload(cell, session.device(), StepPlan{}, nullptr, dropout), session.device());
  double gradient_tolerance = expected.tolerance;
  if (plan.autocast) {
    gradient_tolerance =
        std::max(gradient_tolerance,
                 kRoundingMargin * rounding_sensitivity(session, cell, plan, dropout, reference));
  }
  const Workload workload = make_workload(cell, session.device(), plan, nullptr, dropout);
  const Trajectory candidate = record(workload, session.device());

  Numerics numerics{.tolerance = gradient_tolerance};
  numerics.gradient_difference = gradient_difference(reference, candidate);
  numerics.first_loss = candidate.losses.front();
  numerics.last_loss = candidate.losses.back();
  for (int i = kComparedUpdates; i < protocol.numerics_steps; ++i) {
    numerics.last_loss = update(workload, session.device());
  }
  const double losses = loss_difference(reference, candidate);
  const bool finite = finite_weights(workload);
  const bool equal = bit_equal(reference, candidate);
  const bool close =
      numerics.gradient_difference <= gradient_tolerance && losses <= expected.tolerance;
  const bool trains = finite && numerics.last_loss < numerics.first_loss;

  numerics.detail = sentence(numerics, finite, losses);
  if (!trains) {
    numerics.verdict = "wrong";
  } else if (equal) {
    numerics.verdict = "bit_equal";
  } else if (expected.numerics == NumericsClass::different_by_design) {
    numerics.verdict = "different_by_design";
  } else {
    const bool allowed = expected.numerics == NumericsClass::tolerance && close;
    numerics.verdict = allowed ? "within_tolerance" : "wrong";
  }
  // JSON holds finite numbers only; the sentence keeps the truth.
  for (double* value : {&numerics.gradient_difference, &numerics.first_loss, &numerics.last_loss}) {
    if (!std::isfinite(*value)) *value = 0;
  }
  return numerics;
}

}  // namespace highwater
