// A convolutional network for 28 x 28 digits in the layout of the C++ examples of PyTorch: a
// module, a training loop over batches, a test loop. The digits are random, so nothing is
// downloaded.
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/torch.h>

#include <iostream>
#include <optional>

struct Net : torch::nn::Module {
  Net() {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("dropout", dropout);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2->forward(x), 2));
    x = dropout->forward(torch::relu(fc1->forward(x.flatten(1))));
    return torch::log_softmax(fc2->forward(x), /*dim=*/1);
  }

  torch::nn::Conv2d conv1{torch::nn::Conv2dOptions(1, 16, 5)};
  torch::nn::Conv2d conv2{torch::nn::Conv2dOptions(16, 32, 5)};
  torch::nn::Dropout dropout{0.5};
  torch::nn::Linear fc1{512, 128};
  torch::nn::Linear fc2{128, 10};
};

struct Digits : torch::data::datasets::Dataset<Digits> {
  torch::data::Example<> get(std::size_t) override {
    return {torch::randn({1, 28, 28}), torch::randint(10, {}, torch::kLong)};
  }
  std::optional<std::size_t> size() const override { return 640; }
};

template <class Loader>
void train(Net& model, torch::Device device, Loader& loader, torch::optim::Optimizer& optimizer) {
  model.train();
  for (auto& batch : loader) {
    optimizer.zero_grad();
    auto output = model.forward(batch.data.to(device));
    auto loss = torch::nll_loss(output, batch.target.to(device));
    loss.backward();
    optimizer.step();
  }
}

template <class Loader>
void test(Net& model, torch::Device device, Loader& loader) {
  const torch::NoGradGuard no_grad;
  model.eval();
  std::int64_t correct = 0;
  for (const auto& batch : loader) {
    const auto guess = model.forward(batch.data.to(device)).argmax(1);
    correct += guess.eq(batch.target.to(device)).sum().template item<std::int64_t>();
  }
  std::cout << "correct: " << correct << "\n";
}

int main() {
  const torch::Device device(torch::kCUDA);
  Net model;
  model.to(device);
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Digits().map(torch::data::transforms::Stack<>()), 64);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));
  for (int epoch = 0; epoch < 2; ++epoch) {
    train(model, device, *loader, optimizer);
    test(model, device, *loader);
  }
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  std::cout << "peak allocated " << stats.allocated_bytes[0].peak << "\n"
            << "peak reserved " << stats.reserved_bytes[0].peak << "\n";
}
