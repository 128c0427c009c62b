#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace highwater::fuzz {

/// A reader of files, held against any bytes. It may take them or refuse them as its header says;
/// all else is a fault: another exception, a crash, a hang.
struct Reader {
  std::string name;                 ///< of its folder of inputs, tests/fuzz/corpus/<name>/
  bool (*takes)(std::string_view);  ///< false where it refuses the bytes
};

/// One of these stands in each file of a reader.
struct RegisterReader {
  explicit RegisterReader(const Reader& reader);
};

/// Those linked into this program.
const std::vector<Reader>& readers();

/// A file with these bytes, for readers that take a path. The name is relative to a folder of this
/// process, which is gone with it.
std::filesystem::path input_file(const std::string& name, std::string_view bytes);

/// Ends the program where a reader broke a promise beyond "takes or refuses".
void require(bool holds, const char* promise);

}  // namespace highwater::fuzz
