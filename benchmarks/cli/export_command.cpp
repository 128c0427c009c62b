#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "harness/core/files.hpp"
#include "harness/export/export_format.hpp"

namespace highwater::cli {
namespace {

struct ExportFlags : JudgeFlags {
  std::string format;
  std::filesystem::path output;
};

std::string formats_text() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats()) {
    text += fmt::format("  {:<18} {:<6} {}\n", format.name, format.extension, format.meaning);
  }
  return text;
}

ExitCode export_run(const ExportFlags& flags) {
  const ExportFormat& format = find_export_format(flags.format);
  const RunRecord run = read_run_warning(flags.run);
  const Baselines baselines = read_baselines(flags.baselines, run.header.suite);
  const auto verdicts = judge(run, baselines);
  const std::string text = format.text({run, verdicts, baselines});
  if (flags.output.empty()) {
    std::cout << text;
  } else {
    write_file_atomically(flags.output, text);
  }
  return ExitCode::ok;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("export", "write a finished run in a format that other tools read");
  auto flags = std::make_shared<ExportFlags>();
  add_judge_flags(*command, *flags);
  command->add_option("--format", flags->format, "one of those below")->required();
  command->add_option("--output", flags->output, "file to write (default: standard output)");
  command->footer(formats_text());
  command->callback([&action, flags] { action = [flags] { return export_run(*flags); }; });
}

}  // namespace highwater::cli
