#include "harness/exec/posing_store.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>

namespace highwater {
namespace {

/// A client that speaks Torch's protocol byte by byte.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { close(socket_); }

  template <class Number>
  Client& put(Number number) {
    EXPECT_EQ(send(socket_, &number, sizeof number, 0), static_cast<ssize_t>(sizeof number));
    return *this;
  }
  Client& request(int number) { return put(static_cast<std::uint8_t>(number)); }
  Client& text(const std::string& text) {
    put<std::uint64_t>(text.size());
    EXPECT_EQ(send(socket_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return *this;
  }
  template <class Number>
  Number take() {
    Number number{};
    EXPECT_EQ(recv(socket_, &number, sizeof number, MSG_WAITALL),
              static_cast<ssize_t>(sizeof number));
    return number;
  }
  std::string take_text() {
    std::string text(take<std::uint64_t>(), '\0');
    EXPECT_EQ(recv(socket_, text.data(), text.size(), MSG_WAITALL),
              static_cast<ssize_t>(text.size()));
    return text;
  }
  bool is_at_end() {
    char byte = 0;
    return recv(socket_, &byte, 1, 0) == 0;
  }

 private:
  int socket_;
};

constexpr int set = 1, get = 3, add = 4, check = 5, wait_for = 6;

struct PosingStoreTest : testing::Test {
  PosingStore store{8, 3};
  Client client{store.port()};
};

TEST_F(PosingStoreTest, AnswersForARankWhatThisOneSaid) {
  client.request(set).text("worker/3/address").text("here");
  EXPECT_EQ(client.request(get).text("worker/5/address").take_text(), "here");
}

TEST_F(PosingStoreTest, GivesWhatWasSetForRealBeforeAnyEcho) {
  client.request(set).text("key/3").text("own");
  client.request(set).text("key/5").text("other");
  EXPECT_EQ(client.request(get).text("key/5").take_text(), "other");
}

TEST_F(PosingStoreTest, GivesAnUnknownValueTheLengthOfAUniqueId) {
  EXPECT_EQ(client.request(get).text("0").take_text(), std::string(128, '\0'));
}

TEST_F(PosingStoreTest, LetsNobodyWait) {
  client.request(wait_for).put<std::uint64_t>(1).text("barrier/last");
  EXPECT_EQ(client.take<std::uint8_t>(), 0);
}

/// Torch's heartbeat monitor takes a key that is there for a failed rank.
TEST_F(PosingStoreTest, ChecksTruthfully) {
  client.request(check).put<std::uint64_t>(1).text("dump");
  EXPECT_EQ(client.take<std::uint8_t>(), 1);
  client.request(set).text("dump").text("x");
  client.request(check).put<std::uint64_t>(1).text("dump");
  EXPECT_EQ(client.take<std::uint8_t>(), 0);
}

TEST_F(PosingStoreTest, Counts) {
  EXPECT_EQ(client.request(add).text("n").put<std::int64_t>(2).take<std::int64_t>(), 2);
  EXPECT_EQ(client.request(add).text("n").put<std::int64_t>(3).take<std::int64_t>(), 5);
  EXPECT_EQ(client.request(get).text("n").take_text(), "5");
}

TEST_F(PosingStoreTest, HangsUpAtARequestItDoesNotKnow) {
  client.request(200);
  EXPECT_TRUE(client.is_at_end());
}

TEST(PosingStoreEnvironment, IsThatOfTorchrun) {
  const PosingStore store(8, 3);
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : store.environment(2)) found[name] = value;
  EXPECT_EQ(found["RANK"], "3");
  EXPECT_EQ(found["WORLD_SIZE"], "8");
  EXPECT_EQ(found["LOCAL_RANK"], "1");
  EXPECT_EQ(found["GROUP_RANK"], "1");
  EXPECT_EQ(found["MASTER_PORT"], std::to_string(store.port()));
  EXPECT_EQ(found["TORCHELASTIC_USE_AGENT_STORE"], "True");
}

}  // namespace
}  // namespace highwater
