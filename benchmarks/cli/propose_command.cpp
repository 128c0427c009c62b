#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/baseline_acceptance.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/repository.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/row_patch.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct ProposeFlags : AcceptFlags {
  fs::path output;
};

fs::path output_folder(const ProposeFlags& flags) {
  if (!flags.output.empty()) return flags.output;
  return (fs::is_directory(flags.run) ? flags.run : flags.run.parent_path()) / "proposed";
}

void check_output(const fs::path& output, const fs::path& baselines) {
  if (fs::weakly_canonical(fs::absolute(output)) != fs::weakly_canonical(fs::absolute(baselines))) {
    return;
  }
  throw UsageError(output.string() +
                   " is the folder of the baselines themselves; propose writes elsewhere, and "
                   "`highwater baseline accept` writes there");
}

/// The folder in which the patch is to be applied: the repository, or the baselines' own.
fs::path patch_root(const fs::path& baselines) {
  return find_repository(baselines).value_or(fs::weakly_canonical(fs::absolute(baselines)));
}

std::string patch_of(const fs::path& path, const std::string& text, const fs::path& root) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(path));
  return row_patch(whole.lexically_relative(root).generic_string(),
                   fs::exists(path) ? read_file(path) : "", text);
}

// An earlier proposal must not be taken for this one.
void remove_earlier(const fs::path& output, const BaselineFile& file) {
  for (const fs::path& path :
       {output / "baselines.patch", baseline_path(output, file.testbed, file.suite),
        profiles_path(output, file.testbed, file.suite)}) {
    std::error_code error;
    if (!fs::remove(path, error) && error) {
      throw UsageError("cannot remove the earlier " + path.string() + ": " + error.message());
    }
  }
}

ExitCode propose(const ProposeFlags& flags) {
  const fs::path output = output_folder(flags);
  check_output(output, flags.baselines);
  const fs::path root = patch_root(flags.baselines);
  const auto files = accept_files(read_run_to_accept(flags), flags);
  std::string patch;
  for (const FileAcceptance& file : files) {
    remove_earlier(output, file.acceptance.file);
    for (const auto& [name, text] : file.texts) {
      patch += patch_of(flags.baselines / name, text, root);
      write_file_atomically(output / name, text);
    }
  }
  const fs::path patch_path = output / "baselines.patch";
  if (!patch.empty()) write_file_atomically(patch_path, patch);
  if (!patch.empty()) {
    std::cout << "patch: " << patch_path.string() << " (git apply, or patch -p1, in "
              << root.string() << ")\n";
  }
  return exit_code_of(files);
}

}  // namespace

void add_propose(CLI::App& group, Action& action) {
  auto* command = group.add_subcommand(
      "propose", "write what accept would, and a patch, into a folder beside the run");
  auto flags = std::make_shared<ProposeFlags>();
  add_accept_flags(*command, *flags);
  command->add_option("--output", flags->output,
                      "folder of the proposal (default: the run's folder, proposed/)");
  command->callback([&action, flags] { action = [flags] { return propose(*flags); }; });
}

}  // namespace highwater::cli
