#pragma once

#include <string>

/// A probe runs in a process of its own, under the environment its parent chose, and prints what it
/// saw on stdout as lines "key value". Returns false for an unknown name.
bool run_probe(const std::string& name);

/// The same for the probes of torch_stream_probes.cpp, which `run_probe` includes.
bool run_stream_probe(const std::string& name);

/// The same for the probes of torch_cudnn_probes.cpp.
bool run_cudnn_probe(const std::string& name);
