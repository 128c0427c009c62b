#include "benchmarks/cli/repository.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/exec/child.hpp"
#include "harness/exec/program.hpp"

namespace highwater::cli {

namespace fs = std::filesystem;

std::optional<fs::path> find_repository(const fs::path& folder) {
  fs::path at = fs::weakly_canonical(fs::absolute(folder));
  for (; !fs::exists(at / ".git"); at = at.parent_path()) {
    if (at == at.parent_path()) return std::nullopt;
  }
  return at;
}

std::string baseline_log(const fs::path& folder, const std::string& suite) {
  if (!fs::is_directory(folder) || !find_repository(folder)) {
    throw UsageError(folder.string() + " is in no git repository");
  }
  // Settings of people and repositories must neither change the form nor start programs.
  const Captured log = capture_output(
      {.program = find_program("git"),
       .arguments = {"git", "--no-pager", "-c", "core.quotePath=false", "-C",
                     fs::absolute(folder).string(), "log", "--no-color", "--no-ext-diff",
                     "--no-textconv", "--no-renames", "--no-show-signature", "--patch",
                     "--unified=0", "--relative", "--format=commit %h %cs", "--",
                     fmt::format(":(glob)*/{}.jsonl", suite)},
       .environment = {{"LC_ALL", "C"}},
       // A hook's variables name the repository that the hook runs for.
       .unset = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}});
  if (log.status == 0) return log.output;
  throw UsageError(fmt::format("git log of {} ended with status {}; its message stands above",
                               folder.string(), log.status));
}

}  // namespace highwater::cli
