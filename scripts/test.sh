#!/usr/bin/env bash
# Sets up, builds and tests. Arguments go to the last ctest: scripts/test.sh -R gate -L tier:smoke
#
#   HIGHWATER_PRESET      the preset to test (default: dev)
#   HIGHWATER_SKIP_ASAN   1: leave out the AddressSanitizer build, which covers all that does not load LibTorch
#   HIGHWATER_FUZZ_SECONDS   also run each reader's fuzzer so long (scripts/fuzz.sh; default: not at all)
#
# Exits as the first step that fails. The closing lines are ctest's.
set -euo pipefail

scripts="$(dirname "${BASH_SOURCE[0]}")"
"$scripts/setup.sh"
# shellcheck source=scripts/environment.sh
source "$scripts/environment.sh"
cd "$HIGHWATER_REPO"

build() {
  say "building preset $1"
  cmake --preset "$1" "${HIGHWATER_CMAKE_ARGS[@]}"
  cmake --build --preset "$1"
}

# Runs of suites take the whole machine for themselves (RUN_SERIAL); all other tests go side by side.
run_tests() { ctest --preset "$1" --parallel "$(nproc)" --no-tests=error --output-on-failure "${@:2}"; }

preset="${HIGHWATER_PRESET:-dev}"
if [[ ${HIGHWATER_SKIP_ASAN:-0} != 1 && $preset != asan ]]; then
  build asan
  run_tests asan
fi
[[ -z ${HIGHWATER_FUZZ_SECONDS:-} ]] || "$scripts/fuzz.sh"
build "$preset"
run_tests "$preset" "$@"
