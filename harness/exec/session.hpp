#pragma once

#include <filesystem>
#include <vector>

#include "simgpu/device/report_page.hpp"

namespace highwater {

/// The folder in which the processes of one run keep their report pages; gone with its owner.
class Session {
 public:
  /// @throws UsageError where no folder can be made in the system's folder for temporary files.
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// The pages of a session, in the order in which their processes first used the device. Files that
/// are no whole page are left out: a process that is killed while it makes one leaves such a file.
std::vector<simgpu::ReportPage> read_pages(const std::filesystem::path& folder);

}  // namespace highwater
