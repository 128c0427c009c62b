#!/usr/bin/env bash
# Sets up, builds and tests. Arguments go to the last ctest: scripts/test.sh -R gate -L tier:smoke
#
#   HIGHWATER_PRESET      the preset to test (default: dev)
#   HIGHWATER_SKIP_ASAN   1: leave out the AddressSanitizer build, which covers all that does not load LibTorch
#   CTEST_PARALLEL_LEVEL  tests at once (default: a processor each)
#   HIGHWATER_FUZZ_SECONDS   also run each reader's fuzzer so long (scripts/fuzz.sh; default: not at all)
#
# Exits as the first step that fails. The closing lines are ctest's.
set -euo pipefail

scripts="$(dirname "${BASH_SOURCE[0]}")"
"$scripts/setup.sh"
# shellcheck source=scripts/environment.sh
source "$scripts/environment.sh"
cd "$HIGHWATER_REPO"

# Runs of suites have the whole machine (RUN_SERIAL); all other tests go side by side.
export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"

build() {
  say "building preset $1"
  cmake --preset "$1" "${HIGHWATER_CMAKE_ARGS[@]}"
  cmake --build --preset "$1"
}

run_tests() { ctest --preset "$1" --no-tests=error --output-on-failure "${@:2}"; }

preset="${HIGHWATER_PRESET:-dev}"
if [[ ${HIGHWATER_SKIP_ASAN:-0} != 1 && $preset != asan ]]; then
  build asan
  run_tests asan
fi
[[ -z ${HIGHWATER_FUZZ_SECONDS:-} ]] || "$scripts/fuzz.sh"
build "$preset"
run_tests "$preset" "$@"
