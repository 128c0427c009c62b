#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace highwater {

/// A value as Python's pickle.load reads it: protocol 2, with the instructions that readers which
/// are not CPython's know too (those that torch's own pickler writes). Objects are dicts, arrays
/// lists; a string that occurs again refers to its first time.
/// @throws InternalError where an unsigned number does not fit into 63 bits.
std::string to_pickle(const nlohmann::ordered_json& value);

}  // namespace highwater
