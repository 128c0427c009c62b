#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

using Environment = std::map<std::string, std::string>;

struct Outcome {
  int status = 0;  // as of wait()
  std::string text;

  /// The number under `key`; a missing key fails the test.
  std::int64_t operator[](const std::string& key) const {
    std::istringstream lines(text);
    std::string word;
    for (double value; lines >> word >> value;)
      if (word == key) return static_cast<std::int64_t>(value);
    ADD_FAILURE() << "the probe printed no '" << key << "' but:\n" << text;
    return -1;
  }
};

/// Runs a probe (torch_probes.hpp) in a fresh process under this process's environment and
/// `changes`.
Outcome probe(const std::string& name, const Environment& changes = {});
