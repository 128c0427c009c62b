#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// JUnit XML as Jenkins, GitLab and others read it: one suite, one test case a cell, named by its
/// id, with metrics (`<metric>_high` for the high end of a bounded one), certainty and attributes
/// as properties. A case passes where the gate does: verdict `failed` is an error, skipped and
/// refused are skipped, every other verdict that the gate does not exit 0 for is a failure, and no
/// case is more than one of these. `type` is the verdict, `message` what explains it. There are no
/// times: a record does not hold how long its cell took.
std::string junit_xml(const ExportInput& input);

}  // namespace highwater
