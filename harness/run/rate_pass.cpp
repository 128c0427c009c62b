#include "harness/run/rate_pass.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <functional>

#include "harness/measure/statistics.hpp"
#include "harness/run/device_session.hpp"

namespace highwater {
namespace {

constexpr int kWindows = 7;
constexpr int kOperationsPerWindow = 10;

struct ProductShape {
  std::int64_t m, n, k;
};

/// Squares from latency-bound to saturated, then the products of one GPT-2 small and one BERT-large
/// block at the default suite's batch.
constexpr ProductShape kProducts[] = {
    {512, 512, 512},    {2048, 2048, 2048}, {8192, 8192, 8192},
    {8192, 2304, 768},  {8192, 3072, 768},  {8192, 768, 3072},
    {8192, 50257, 768}, {4096, 1024, 1024}, {4096, 4096, 1024},
};
constexpr at::ScalarType kProductTypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

/// 1 MiB (inside L2), 64 MiB and 1 GiB of float.
constexpr std::int64_t kElements[] = {1 << 18, 1 << 24, 1 << 28};

class RatePass {
 public:
  explicit RatePass(const std::string& device) : session_(device) {}

  std::vector<Rate> run() {
    for (const at::ScalarType type : kProductTypes) {
      for (const ProductShape& shape : kProducts) product(shape, type);
    }
    for (const std::int64_t elements : kElements) stream(elements);
    for (const bool pinned : {false, true}) host_copies(pinned);
    return std::move(rates_);
  }

 private:
  void product(const ProductShape& shape, at::ScalarType type) {
    const auto options = at::device(session_.device()).dtype(type);
    const at::Tensor a = at::ones({shape.m, shape.k}, options);
    const at::Tensor b = at::ones({shape.k, shape.n}, options);
    at::Tensor out = at::empty({shape.m, shape.n}, options);
    time({.operation = "gemm",
          .dtype = toString(type),
          .shape = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                   std::to_string(shape.k),
          .work = 2 * shape.m * shape.n * shape.k},
         [&] { at::mm_out(out, a, b); });
  }

  void stream(std::int64_t elements) {
    const at::Tensor source = at::ones({elements}, at::device(session_.device()).dtype(at::kFloat));
    at::Tensor target = at::empty_like(source);
    const auto bytes = static_cast<std::int64_t>(source.nbytes());
    const auto rate = [&](const char* operation, std::int64_t work) {
      return Rate{.operation = operation,
                  .dtype = toString(at::kFloat),
                  .shape = std::to_string(elements),
                  .work = work};
    };
    time(rate("copy", 2 * bytes), [&] { target.copy_(source); });
    time(rate("add", 3 * bytes), [&] { at::add_out(target, source, target); });
  }

  void host_copies(bool pinned) {
    const auto options = at::device(at::kCPU).dtype(at::kFloat).pinned_memory(pinned);
    at::Tensor host = at::ones({kElements[1]}, options);
    at::Tensor device = host.to(session_.device());
    const auto rate = [&](const char* operation) {
      return Rate{.operation = std::string(operation) + (pinned ? "_pinned" : ""),
                  .dtype = toString(at::kFloat),
                  .shape = std::to_string(kElements[1]),
                  .work = static_cast<std::int64_t>(host.nbytes())};
    };
    time(rate("host_to_device"), [&] { device.copy_(host, true); });
    time(rate("device_to_host"), [&] { host.copy_(device, true); });
  }

  void time(Rate rate, const std::function<void()>& operation) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::int64_t> nanoseconds;
    operation();  // the first call loads kernels and takes workspaces
    for (int window = 0; window < kWindows; ++window) {
      session_.synchronize();
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < kOperationsPerWindow; ++i) operation();
      session_.synchronize();
      nanoseconds.push_back(std::chrono::nanoseconds(Clock::now() - start).count() /
                            kOperationsPerWindow);
    }
    rate.nanoseconds = median(nanoseconds);
    rate.mad_nanoseconds = median_absolute_deviation(nanoseconds);
    rates_.push_back(std::move(rate));
  }

  DeviceSession session_;
  std::vector<Rate> rates_;
};

}  // namespace

std::vector<Rate> measure_rates(const std::string& device) { return RatePass(device).run(); }

}  // namespace highwater
