#include "tests/simgpu/probe_process.hpp"

#include <cstdio>
#include <filesystem>

Outcome probe(const std::string& name, const Environment& changes) {
  std::string command = "env";
  for (const auto& [variable, value] : changes) command += " " + variable + "='" + value + "'";
  command += " '" + std::filesystem::read_symlink("/proc/self/exe").string() + "' --probe " + name;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome;
  for (int c; (c = std::fgetc(pipe)) != EOF;) outcome.text += static_cast<char>(c);
  outcome.status = pclose(pipe);
  return outcome;
}
