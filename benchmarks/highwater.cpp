#include "benchmarks/cli/program.hpp"

int main(int argc, char** argv) { return highwater::cli::run_program(argc, argv); }
