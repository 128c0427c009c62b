#include "simgpu/device/notes.hpp"

#include "simgpu/device/report.hpp"

namespace simgpu {

const char* note_word(NoteKind kind) {
  switch (kind) {
    case NoteKind::unanswered:
      return "unanswered";
    case NoteKind::size_by_value:
      return "size-by-value";
    case NoteKind::bounded_size:
      return "bounded-size";
    case NoteKind::unlike_device:
      break;
  }
  return "unlike-device";
}

void note(NoteKind kind, const std::string& text) { report_note(note_word(kind), text.c_str()); }

}  // namespace simgpu
