#include "harness/core/error.hpp"
#include "harness/matrix/cell.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const Cell cell = parse_cell_id(bytes);
    require(cell_id(cell) == bytes, "an id that was taken is the cell's own");
    require(file_stem(cell).find('/') == std::string::npos, "a log lies in the folder of logs");
    const nlohmann::json json = cell;
    require(json.get<Cell>() == cell, "a cell in a record is the cell of its id");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"cell", &takes});

}  // namespace
}  // namespace highwater::fuzz
