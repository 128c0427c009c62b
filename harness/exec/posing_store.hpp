#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace highwater {

/// The meeting point of torch.distributed for one process that poses as rank R of N: a server of
/// Torch's TCPStore protocol (torch/csrc/distributed/c10d/TCPStoreBackend.hpp in Torch's headers
/// names its requests) that answers for the ranks which do not exist.
///
///   wait       ends at once: whoever was waited for has done it
///   get        of a key nobody set: what this rank set under the same key with its own number
///   where
///              the other's stands, else 128 bytes of zero, as long as NCCL's unique id
///   the rest   as the real store does. `check` above all: Torch's watchdogs look for the marks of
///              failed ranks that way
///
/// The program's own code is not changed: torchrun's variables tell Torch to be a client of a store
/// that its launcher keeps (TORCHELASTIC_USE_AGENT_STORE).
class PosingStore {
 public:
  /// Listens on a free port of 127.0.0.1. @throws std::system_error
  PosingStore(int world, int rank);
  ~PosingStore();
  PosingStore(const PosingStore&) = delete;
  PosingStore& operator=(const PosingStore&) = delete;

  std::uint16_t port() const { return port_; }

  /// torchrun's variables for the posing process, which uses device rank % `devices`.
  std::vector<std::pair<std::string, std::string>> environment(int devices) const;

 private:
  using Value = std::string;

  void accept_clients();
  void serve(int client);
  bool answer(int client, std::uint8_t request);
  Value get(const std::string& key);

  int world_;
  int rank_;
  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::map<std::string, Value> values_;
  std::vector<int> clients_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace highwater
