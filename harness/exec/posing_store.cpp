#include "harness/exec/posing_store.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cctype>
#include <charconv>
#include <system_error>

namespace highwater {
namespace {

/// The requests in the order of c10d::detail::QueryType.
enum Request : std::uint8_t {
  validate,
  set,
  compare_set,
  get_value,
  add,
  check,
  wait_for,
  count_keys,
  delete_key,
  append,
  multi_get,
  multi_set,
  cancel_wait,
  ping,
};

constexpr std::uint8_t stop_waiting = 0;
constexpr std::uint8_t wait_cancelled = 1;
constexpr std::uint8_t ready = 0;
constexpr std::uint8_t not_ready = 1;

/// As long as NCCL's unique id, which is what a rank other than 0 asks for.
constexpr std::size_t unknown_value_bytes = 128;

struct Disconnected {};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void receive_bytes(int client, void* target, std::size_t bytes) {
  if (bytes != 0 && recv(client, target, bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes))
    throw Disconnected{};
}

template <class Number>
Number receive(int client) {
  Number number{};
  receive_bytes(client, &number, sizeof number);
  return number;
}

std::string receive_text(int client) {
  std::string text(receive<std::uint64_t>(client), '\0');
  receive_bytes(client, text.data(), text.size());
  return text;
}

void send_bytes(int client, const void* source, std::size_t bytes) {
  if (send(client, source, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes))
    throw Disconnected{};
}

template <class Number>
void send_number(int client, Number number) {
  send_bytes(client, &number, sizeof number);
}

void send_text(int client, const std::string& text) {
  send_number<std::uint64_t>(client, text.size());
  send_bytes(client, text.data(), text.size());
}

/// `key` with each number in it replaced by `rank` in turn.
std::vector<std::string> keys_of_rank(const std::string& key, int rank) {
  std::vector<std::string> keys;
  for (std::size_t start = 0; start < key.size();) {
    if (!std::isdigit(static_cast<unsigned char>(key[start]))) {
      ++start;
      continue;
    }
    std::size_t end = start;
    while (end < key.size() && std::isdigit(static_cast<unsigned char>(key[end]))) ++end;
    keys.push_back(key.substr(0, start) + std::to_string(rank) + key.substr(end));
    start = end;
  }
  return keys;
}

}  // namespace

PosingStore::PosingStore(int world, int rank)
    : world_(world), rank_(rank), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (listener_ < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, length) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, generic, &length) != 0)
    fail("a port for torch.distributed on 127.0.0.1");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_clients(); });
}

PosingStore::~PosingStore() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (const int client : clients_) shutdown(client, SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
  for (const int client : clients_) close(client);
  close(listener_);
}

std::vector<std::pair<std::string, std::string>> PosingStore::environment(int devices) const {
  const std::string world = std::to_string(world_);
  const std::string rank = std::to_string(rank_);
  const std::string local_rank = std::to_string(rank_ % devices);
  return {{"RANK", rank},
          {"WORLD_SIZE", world},
          {"GROUP_RANK", std::to_string(rank_ / devices)},
          {"ROLE_RANK", rank},
          {"ROLE_WORLD_SIZE", world},
          {"LOCAL_RANK", local_rank},
          {"LOCAL_WORLD_SIZE", std::to_string(devices)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", std::to_string(port_)},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
          {"TORCHELASTIC_RESTART_COUNT", "0"},
          {"TORCHELASTIC_MAX_RESTARTS", "0"},
          {"TORCHELASTIC_RUN_ID", "highwater"}};
}

void PosingStore::accept_clients() {
  for (int client; (client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    clients_.push_back(client);
    threads_.emplace_back([this, client] { serve(client); });
  }
}

void PosingStore::serve(int client) {
  try {
    while (answer(client, receive<std::uint8_t>(client))) continue;
  } catch (const Disconnected&) {
    return;
  }
  shutdown(client, SHUT_RDWR);  // a request this store does not know: the program hears of it
}

PosingStore::Value PosingStore::get(const std::string& key) {
  if (const auto found = values_.find(key); found != values_.end()) return found->second;
  for (const std::string& own : keys_of_rank(key, rank_))
    if (const auto found = values_.find(own); found != values_.end()) return found->second;
  return Value(unknown_value_bytes, '\0');
}

bool PosingStore::answer(int client, std::uint8_t request) {
  const auto receive_keys = [&] {
    std::vector<std::string> keys(receive<std::uint64_t>(client));
    for (std::string& key : keys) key = receive_text(client);
    return keys;
  };
  switch (request) {
    case validate:
      receive<std::uint32_t>(client);
      return true;
    case ping:
      send_number(client, receive<std::uint32_t>(client));
      return true;
    case set: {
      const std::string key = receive_text(client);
      const std::string value = receive_text(client);
      const std::lock_guard lock(mutex_);
      values_[key] = value;
      return true;
    }
    case append: {
      const std::string key = receive_text(client);
      const std::string value = receive_text(client);
      const std::lock_guard lock(mutex_);
      values_[key] += value;
      return true;
    }
    case compare_set: {
      const std::string key = receive_text(client);
      const std::string expected = receive_text(client);
      const std::string wanted = receive_text(client);
      const std::lock_guard lock(mutex_);
      const auto found = values_.find(key);
      const bool is_set = found != values_.end();
      if (is_set ? found->second == expected : expected.empty()) values_[key] = wanted;
      send_text(client, values_.contains(key) ? values_[key] : expected);
      return true;
    }
    case get_value: {
      const std::string key = receive_text(client);
      const std::lock_guard lock(mutex_);
      send_text(client, get(key));
      return true;
    }
    case multi_get: {
      const std::vector<std::string> keys = receive_keys();
      const std::lock_guard lock(mutex_);
      for (const std::string& key : keys) send_text(client, get(key));
      return true;
    }
    case multi_set: {
      for (auto left = receive<std::uint64_t>(client); left != 0; --left) {
        const std::string key = receive_text(client);
        const std::string value = receive_text(client);
        const std::lock_guard lock(mutex_);
        values_[key] = value;
      }
      return true;
    }
    case add: {
      const std::string key = receive_text(client);
      auto sum = receive<std::int64_t>(client);
      const std::lock_guard lock(mutex_);
      std::int64_t before = 0;
      const std::string& kept = values_[key];
      std::from_chars(kept.data(), kept.data() + kept.size(), before);
      sum += before;
      values_[key] = std::to_string(sum);
      send_number(client, sum);
      return true;
    }
    case check: {
      const std::vector<std::string> keys = receive_keys();
      const std::lock_guard lock(mutex_);
      bool all = true;
      for (const std::string& key : keys) all = all && values_.contains(key);
      send_number(client, all ? ready : not_ready);
      return true;
    }
    case wait_for:
      receive_keys();
      send_number(client, stop_waiting);
      return true;
    case cancel_wait:
      send_number(client, wait_cancelled);
      return true;
    case count_keys: {
      const std::lock_guard lock(mutex_);
      send_number(client, static_cast<std::int64_t>(values_.size()));
      return true;
    }
    case delete_key: {
      const std::string key = receive_text(client);
      const std::lock_guard lock(mutex_);
      send_number(client, static_cast<std::int64_t>(values_.erase(key)));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace highwater
