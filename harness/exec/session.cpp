#include "harness/exec/session.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using simgpu::ReportPage;

// A text fills its place at most up to the zero that must end it; a damaged file may lack it.
template <std::size_t length>
void terminate(char (&text)[length]) {
  text[length - 1] = '\0';
}

void make_safe(ReportPage& page) {
  terminate(page.command);
  page.note_count = std::min<std::uint64_t>(page.note_count, ReportPage::most_notes);
  for (ReportPage::Note& note : page.notes) {
    terminate(note.kind);
    terminate(note.text);
  }
}

bool read_page(const fs::path& path, ReportPage& page) {
  const std::string bytes = read_file(path);
  if (bytes.size() != sizeof page) return false;
  std::memcpy(&page, bytes.data(), sizeof page);
  if (page.magic != ReportPage::magic_number || page.page_bytes != sizeof page) return false;
  make_safe(page);
  return true;
}

}  // namespace

Session::Session() {
  std::string pattern = (fs::temp_directory_path() / "highwater-exec-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw UsageError("cannot make a folder " + pattern + ": " + std::strerror(errno) +
                     "; set TMPDIR to a folder that can be written");
  }
  folder_ = pattern;
}

Session::~Session() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<ReportPage> read_pages(const fs::path& folder) {
  std::vector<ReportPage> pages;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ReportPage page;
    if (entry.path().extension() == ".page" && read_page(entry.path(), page)) pages.push_back(page);
  }
  std::ranges::sort(pages, {}, &ReportPage::started_ns);
  return pages;
}

}  // namespace highwater
