#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/interrupted_run.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

std::string text_of(const RunRecord& run) {
  std::string text = header_line(run.header) + "\n";
  for (const CellRecord& record : run.cells) text += cell_line(record) + "\n";
  return text;
}

// Where a run of these records can be resumed, mending them loses no row.
void mend(const std::filesystem::path& folder, const RunRecord& run) {
  try {
    read_interrupted(folder);
  } catch (const UsageError&) {
    return;
  }
  arrange_records(folder);
  const RunRecord mended = read_run(folder);
  require(mended.cells.size() == run.cells.size(), "mending keeps every row");
  require(mended.warnings.empty(), "mending drops a half-written line");
}

bool takes(std::string_view bytes) {
  const auto path = input_file("run/records.jsonl", bytes);
  try {
    const RunRecord run = read_run(path);
    mend(path.parent_path(), run);
    const std::string text = text_of(run);
    require(text_of(read_run(input_file("again/records.jsonl", text))) == text,
            "what was taken and written is taken again");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"records", &takes});

}  // namespace
}  // namespace highwater::fuzz
