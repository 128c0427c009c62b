#include <cstring>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "simgpu/nvrtc/simulated.hpp"
#include "simgpu/device/versions.hpp"

/// Run-time compilation, as Torch's jiterator and fusers use it. Nothing is compiled: every program
/// is accepted, its image is a text that no module looks into (driver/module.cpp), and the lowered
/// name of a kernel is the expression that named it. A program with an error therefore goes on here
/// where a real compiler would refuse it. Declared from NVRTC's documentation
/// (https://docs.nvidia.com/cuda/nvrtc/).

namespace {

enum Result : int { success = 0, invalid_program = 4, invalid_name = 9 };

struct Program {
  std::list<std::string> names;  // addresses are handed out
};

constexpr char image[] = "// simulated: nothing was compiled";

int write_size(const Program* program, std::size_t* bytes, std::size_t size) {
  if (program == nullptr) return invalid_program;
  *bytes = size;
  return success;
}

int write_image(const Program* program, char* target) {
  if (program == nullptr) return invalid_program;
  std::memcpy(target, image, sizeof image);
  return success;
}

int nvrtcVersion(int* major, int* minor) {
  *major = simgpu::runtime_version / 1000;
  *minor = simgpu::runtime_version % 1000 / 10;
  return success;
}

const char* nvrtcGetErrorString(int result) {
  switch (result) {
    case success:
      return "NVRTC_SUCCESS";
    case invalid_program:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case invalid_name:
      return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
      return "NVRTC_ERROR unknown";
  }
}

int nvrtcCreateProgram(Program** program, const char*, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program;
  return success;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return success;
}

int nvrtcAddNameExpression(Program* program, const char* expression) {
  if (program == nullptr) return invalid_program;
  program->names.emplace_back(expression);
  return success;
}

int nvrtcCompileProgram(Program* program, int, const char* const*) {
  return program ? success : invalid_program;
}

int nvrtcGetLoweredName(Program* program, const char* expression, const char** lowered) {
  if (program == nullptr) return invalid_program;
  for (const std::string& name : program->names) {
    if (name != expression) continue;
    *lowered = name.c_str();
    return success;
  }
  return invalid_name;
}

int nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  return write_size(program, bytes, sizeof image);
}

int nvrtcGetPTX(Program* program, char* target) { return write_image(program, target); }

int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  return write_size(program, bytes, sizeof image);
}

int nvrtcGetCUBIN(Program* program, char* target) { return write_image(program, target); }

/// An empty log: its end alone.
int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  return write_size(program, bytes, 1);
}

int nvrtcGetProgramLog(Program* program, char* log) {
  if (program == nullptr) return invalid_program;
  *log = '\0';
  return success;
}

const std::unordered_map<std::string_view, void*>& functions() {
  static const auto& table = *new std::unordered_map<std::string_view, void*>{
      {"nvrtcVersion", reinterpret_cast<void*>(nvrtcVersion)},
      {"nvrtcGetErrorString", reinterpret_cast<void*>(nvrtcGetErrorString)},
      {"nvrtcCreateProgram", reinterpret_cast<void*>(nvrtcCreateProgram)},
      {"nvrtcDestroyProgram", reinterpret_cast<void*>(nvrtcDestroyProgram)},
      {"nvrtcAddNameExpression", reinterpret_cast<void*>(nvrtcAddNameExpression)},
      {"nvrtcCompileProgram", reinterpret_cast<void*>(nvrtcCompileProgram)},
      {"nvrtcGetLoweredName", reinterpret_cast<void*>(nvrtcGetLoweredName)},
      {"nvrtcGetPTXSize", reinterpret_cast<void*>(nvrtcGetPTXSize)},
      {"nvrtcGetPTX", reinterpret_cast<void*>(nvrtcGetPTX)},
      {"nvrtcGetCUBINSize", reinterpret_cast<void*>(nvrtcGetCUBINSize)},
      {"nvrtcGetCUBIN", reinterpret_cast<void*>(nvrtcGetCUBIN)},
      {"nvrtcGetProgramLogSize", reinterpret_cast<void*>(nvrtcGetProgramLogSize)},
      {"nvrtcGetProgramLog", reinterpret_cast<void*>(nvrtcGetProgramLog)}};
  return table;
}

}  // namespace

void* simgpu::nvrtc::simulated_function(std::string_view name) {
  const auto found = functions().find(name);
  return found == functions().end() ? nullptr : found->second;
}
