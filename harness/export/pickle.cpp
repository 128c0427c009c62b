#include "harness/export/pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

/// Writes the instructions of a stack machine (CPython's Lib/pickletools.py describes each).
class Pickler {
 public:
  std::string write(const Json& value) {
    text_ = "\x80\x02";  // PROTO 2
    put(value);
    return text_ + ".";  // STOP
  }

 private:
  void put(const Json& value) {
    switch (value.type()) {
      case Json::value_t::null:
        text_ += 'N';
        break;
      case Json::value_t::boolean:
        text_ += value.get<bool>() ? '\x88' : '\x89';
        break;
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
        put_integer(value);
        break;
      case Json::value_t::number_float:
        text_ += 'G';
        put_big_endian(std::bit_cast<std::uint64_t>(value.get<double>()));
        break;
      case Json::value_t::string:
        put_string(value.get_ref<const std::string&>());
        break;
      case Json::value_t::array:
        put_list(value);
        break;
      case Json::value_t::object:
        text_ += "}(";  // EMPTY_DICT MARK
        for (const auto& [key, item] : value.items()) {
          put_string(key);
          put(item);
        }
        text_ += 'u';  // SETITEMS
        break;
      default:
        throw InternalError("only JSON values can be pickled");
    }
  }

  /// In batches, as CPython does: the viewer hands each to one call, and engines limit how many
  /// arguments that takes.
  void put_list(const Json& list) {
    constexpr std::size_t kBatch = 1000;
    text_ += ']';  // EMPTY_LIST
    for (std::size_t begin = 0; begin < list.size(); begin += kBatch) {
      text_ += '(';  // MARK
      for (std::size_t i = begin; i < std::min(begin + kBatch, list.size()); ++i) put(list[i]);
      text_ += 'e';  // APPENDS
    }
  }

  void put_integer(const Json& value) {
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
      throw InternalError(value.dump() + " is too large to be pickled");
    }
    const auto number = value.get<std::int64_t>();
    if (number == static_cast<std::int32_t>(number)) {
      text_ += 'J';  // BININT
      put_little_endian(static_cast<std::uint64_t>(number), 4);
    } else {
      text_ += "\x8a\x08";  // LONG1 of 8 bytes
      put_little_endian(static_cast<std::uint64_t>(number), 8);
    }
  }

  void put_string(const std::string& string) {
    const auto [known, is_new] = memo_.emplace(string, memo_.size());
    if (!is_new) {
      text_ += 'j';  // LONG_BINGET
      put_little_endian(known->second, 4);
      return;
    }
    text_ += 'X';  // BINUNICODE
    put_little_endian(string.size(), 4);
    text_ += string + 'r';  // LONG_BINPUT
    put_little_endian(known->second, 4);
  }

  void put_little_endian(std::uint64_t bits, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(bits >> (8 * i) & 0xffU);
  }

  void put_big_endian(std::uint64_t bits) {
    for (int i = 7; i >= 0; --i) text_ += static_cast<char>(bits >> (8 * i) & 0xffU);
  }

  std::string text_;
  std::unordered_map<std::string, std::uint64_t> memo_;
};

}  // namespace

std::string to_pickle(const Json& value) { return Pickler().write(value); }

}  // namespace highwater
