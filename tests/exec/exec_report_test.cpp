#include "harness/exec/exec_report.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "harness/core/files.hpp"
#include "harness/exec/exec_budget.hpp"
#include "harness/exec/session.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

using simgpu::ReportPage;

constexpr std::uint64_t mib = 1 << 20;

/// A process that trained on device 0.
ReportPage trained_page() {
  ReportPage page{};
  page.magic = ReportPage::magic_number;
  page.page_bytes = sizeof page;
  page.process = 4324;
  page.started_ns = 7;
  std::strcpy(page.command, "python train.py");
  page.launches = 1;
  page.library_calls = 1500;
  ReportPage::Device& device = page.devices[0];
  device.used = 1;
  device.capacity = 1000 * mib;
  device.context = 100 * mib;
  device.reserved = {.now = 20 * mib, .peak = 400 * mib};
  device.mallocs = 3;
  device.frees = 2;
  device.block_count = 2;
  device.blocks[0] = 380 * mib;
  device.blocks[1] = 20 * mib;
  device.torch = {.sampled = 2,
                  .requested = {.now = 1, .peak = 298},
                  .allocated = {.now = 512, .peak = 299},
                  .reserved = device.reserved,
                  .retries = 1,
                  .out_of_memory = 0,
                  .peaks_survive_resets = 1};
  return page;
}

void add_note(ReportPage& page, const char* kind, const char* text, std::uint64_t count) {
  ReportPage::Note& note = page.notes[page.note_count++];
  note.count = count;
  std::strcpy(note.kind, kind);
  std::strcpy(note.text, text);
}

ExecRun run_of(std::vector<ReportPage> pages) {
  return {.device = "sim:h200",
          .command = {"python", "train.py"},
          .status = 1,
          .torch = "torch",
          .unknown_sizes = "low",
          .pages = std::move(pages)};
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis not in\n" << text;
}

TEST(ExecReport, TheTextSaysWhatTheDriverAndTorchSawAndWhatIsLeft) {
  expect_lines(
      exec_text(run_of({trained_page()})),
      {"highwater: python train.py ended with status 1 on sim:h200\n",
       "process 4324: python train.py\n  1 kernel launch, 1,500 library calls\n",
       "reserved, driver  419,430,400  400.0 MiB   20,971,520  20.0 MiB\n", "allocated",
       "requested",
       "room: 1000.0 MiB in all, 100.0 MiB for the context, 500.0 MiB left at the peak "
       "(524,288,000 bytes)\n",
       "calls: 3 cudaMalloc, 2 cudaFree, 0 refused; torch: 1 retry, 0 out of memory\n",
       "largest of the 2 blocks at the peak: 380.0 MiB, 20.0 MiB\n", "not answerable: nothing\n"});
}

TEST(ExecReport, NotesAreCounted) {
  ReportPage page = trained_page();
  add_note(page, "unanswered", "cudaGraphUpload (libcudart.so.13)", 1);
  add_note(page, "size-by-value", "aten::nonzero", 12);
  page.notes_left_out = 2;
  expect_lines(exec_text(run_of({page})),
               {"  unanswered: cudaGraphUpload (libcudart.so.13)\n",
                "  size-by-value: aten::nonzero (12 times)\n", "  2 more notes left out\n"});
}

TEST(ExecReport, BoundedSizesNameTheFlagThatRunsBothEnds) {
  ReportPage page = trained_page();
  EXPECT_EQ(exec_text(run_of({page})).find("--unknown-sizes"), std::string::npos);
  add_note(page, "bounded-size", "cublasLt workspace: 0 to 4194304 bytes", 3);
  expect_lines(exec_text(run_of({page})), {"the low ends were answered; --unknown-sizes both"});
}

TEST(ExecReport, ADeadProcessSaysHowOldTorchsNumbersAre) {
  ReportPage page = trained_page();
  page.devices[0].torch.sampled = 1;
  page.devices[0].torch.peaks_survive_resets = 0;
  expect_lines(exec_text(run_of({page})), {"did not end by itself", "last reset them"});
  page.devices[0].torch = {};
  expect_lines(exec_text(run_of({page})), {"could not be asked"});
  EXPECT_EQ(exec_text(run_of({page})).find("requested"), std::string::npos);
}

TEST(ExecReport, ProcessesOnOneDeviceAreAddedUp) {
  ReportPage other = trained_page();
  other.devices[1] = other.devices[0];
  const auto shared = shared_devices({trained_page(), other});
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].processes, 2);
  EXPECT_EQ(shared[0].sum_of_peaks, static_cast<Bytes>(800 * mib));
  EXPECT_EQ(shared[0].sum_of_contexts, static_cast<Bytes>(200 * mib));
  EXPECT_EQ(shared[1].processes, 1);
  expect_lines(exec_text(run_of({trained_page(), other})),
               {"device 0 was used by 2 processes: their reserved peaks add up to 838,860,800 "
                "bytes (800.0 MiB), with their contexts to 1000.0 MiB of 1000.0 MiB\n"});
}

TEST(ExecReport, TheJsonHoldsTheSameNumbers) {
  ReportPage page = trained_page();
  add_note(page, "size-by-value", "aten::nonzero", 12);
  const auto report = exec_json(run_of({page}));
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["exit_status"], 1);
  const auto& process = report["processes"][0];
  EXPECT_EQ(process["library_calls"], 1500);
  EXPECT_EQ(process["notes"][0]["count"], 12);
  const auto& device = process["devices"][0];
  EXPECT_EQ(device["reserved_bytes"]["peak"], 400 * mib);
  EXPECT_EQ(device["largest_blocks_bytes"].size(), 2U);
  EXPECT_EQ(device["torch"]["allocated_bytes"]["peak"], 299);
  EXPECT_EQ(device["torch"]["sampled"], "at-exit");
  EXPECT_EQ(report["devices"][0]["sum_of_reserved_peaks_bytes"], 400 * mib);
}

/// Every key that the schema names, and no other, is in the value, and so on inside.
void expect_fits(const nlohmann::json& schema, const nlohmann::json& value) {
  if (value.is_array()) {
    for (const auto& item : value) expect_fits(schema.at("items"), item);
    return;
  }
  if (!value.is_object()) return;
  const auto& properties = schema.at("properties");
  for (const auto& [key, inner] : value.items()) {
    ASSERT_TRUE(properties.contains(key)) << key;
    expect_fits(properties.at(key), inner);
  }
  for (const auto& key : schema.at("required"))
    EXPECT_TRUE(value.contains(key.get<std::string>())) << key;
}

TEST(ExecReport, TheSchemaSaysWhatIsWritten) {
  ReportPage page = trained_page();
  add_note(page, "size-by-value", "aten::nonzero", 12);
  const auto schema = nlohmann::json::parse(
      read_file(HIGHWATER_SOURCE_DIR "/results/schema/exec-report.schema.json"));
  expect_fits(schema, nlohmann::json::array({exec_json(run_of({page}))}));
}

class Pages : public ::testing::Test {
 protected:
  void write(const std::string& name, const ReportPage& page,
             std::size_t bytes = sizeof(ReportPage)) {
    write_file_atomically(session_.folder() / name,
                          std::string(reinterpret_cast<const char*>(&page), bytes));
  }
  std::vector<ReportPage> read() const { return read_pages(session_.folder()); }

 private:
  Session session_;
};

TEST_F(Pages, AreReadInTheOrderOfTheirStart) {
  ReportPage later = trained_page();
  later.started_ns = 8;
  write("1-0.page", later);
  write("2-0.page", trained_page());
  const auto pages = read();
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].started_ns, 7U);
}

TEST_F(Pages, ThatAreNotWholeAreLeftOut) {
  ReportPage unfinished = trained_page();
  unfinished.magic = 0;
  write("1-0.page", unfinished);
  write("2-0.page", trained_page(), 100);
  write("3-0.page", trained_page(), 0);
  write("4-0.other", trained_page());
  ReportPage older = trained_page();
  older.page_bytes -= 8;
  write("5-0.page", older);
  EXPECT_TRUE(read().empty());
}

TEST_F(Pages, ThatAreDamagedAreReadSafely) {
  ReportPage page = trained_page();
  std::memset(page.command, 'x', sizeof page.command);
  std::memset(page.notes, 'y', sizeof page.notes);
  page.note_count = ~std::uint64_t{0};
  write("1-0.page", page);
  const auto pages = read();
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].note_count, ReportPage::most_notes);
  EXPECT_EQ(std::strlen(pages[0].command), sizeof page.command - 1);
  EXPECT_FALSE(exec_text(run_of(pages)).empty());
}

TEST(ExecSession, LeavesNoFolderBehind) {
  std::filesystem::path folder;
  {
    const Session session;
    folder = session.folder();
    EXPECT_TRUE(std::filesystem::is_directory(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

std::string verdict_text(const ExecRun& run, Bytes budget, ExitCode code) {
  const BudgetVerdict verdict = judge_budget(run, budget);
  EXPECT_EQ(verdict.code, code) << verdict.text;
  return verdict.text;
}

ExecRun ended_well(std::vector<ReportPage> pages) {
  ExecRun run = run_of(std::move(pages));
  run.status = 0;
  return run;
}

TEST(ExecBudget, HoldsThePeakThatTorchAllocatedToTheByte) {
  const ExecRun run = ended_well({trained_page()});
  expect_lines(verdict_text(run, 299, ExitCode::ok),
               {"budget of 299 B (299 bytes): kept, process 4324 allocated 299 B (299 bytes) of "
                "device 0 at its peak\n"});
  expect_lines(verdict_text(run, 298, ExitCode::regression),
               {": exceeded by 1 B (1 bytes), process 4324 allocated"});
}

TEST(ExecBudget, TheProcessAndDeviceThatTookMostDecide) {
  ReportPage second = trained_page();
  second.process = 4325;
  second.devices[3] = second.devices[0];
  second.devices[3].torch.allocated.peak = 300;
  expect_lines(verdict_text(ended_well({trained_page(), second}), 299, ExitCode::regression),
               {"process 4325 allocated 300 B (300 bytes) of device 3"});
}

TEST(ExecBudget, WhereTorchDoesNotKnowItsWholePeakTheDriversCounts) {
  ReportPage reset = trained_page();
  reset.devices[0].torch.peaks_survive_resets = 0;
  ReportPage unasked = trained_page();
  unasked.devices[0].torch.sampled = 0;
  for (const ReportPage& page : {reset, unasked}) {
    expect_lines(verdict_text(ended_well({page}), 399 * mib, ExitCode::regression),
                 {"process 4324 reserved 400.0 MiB"});
    verdict_text(ended_well({page}), 400 * mib, ExitCode::ok);
  }
}

TEST(ExecBudget, NothingIsKeptByAProgramThatFailedOrUsedNoDevice) {
  expect_lines(verdict_text(run_of({trained_page()}), 400 * mib, ExitCode::cell_error),
               {"not judged, the program ended with status 1"});
  expect_lines(verdict_text(ended_well({}), 400 * mib, ExitCode::cell_error),
               {"not judged, no process used the device"});
}

}  // namespace
}  // namespace highwater
