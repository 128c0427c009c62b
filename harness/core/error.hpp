#pragma once

#include <stdexcept>
#include <string>

#include "harness/core/exit_code.hpp"

namespace highwater {

/// An error that a person can act on: the message says what happened, to what, and what to do next.
/// It carries the exit status it leads to.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Wrong arguments, configuration or input files: exit status 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

/// What was asked for is well-formed and means nothing here: a cell is skipped for it.
class InapplicableError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// A broken promise inside the program: exit status 1.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ExitCode::internal, message) {}
};

}  // namespace highwater
