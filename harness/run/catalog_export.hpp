#pragma once

#include "harness/matrix/catalog.hpp"

namespace highwater {

/// Everything registered in this process, as data for the Torch-free front.
Catalog export_catalog();

}  // namespace highwater
