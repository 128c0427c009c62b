#!/usr/bin/env bash
# Sets up, builds, measures, and draws the figures. Arguments go to `highwater run`; without any it runs
# the default suite. Paths in them are relative to the repository.
#
#   scripts/run.sh
#   scripts/run.sh --suite smoke --device sim:a100-80gb
#
#   HIGHWATER_PRESET   the preset to build (default: dev)
#
# Exits as `highwater run` does: 0 measured, 3 a cell regressed, 6 a cell failed or is unsteady, 77 every
# cell was skipped; 2 wrong usage, 130 interrupted. New, improved and missing rows are for `highwater gate`.
# If only the figures fail, the exit code is 1.
set -euo pipefail

scripts="$(dirname "${BASH_SOURCE[0]}")"
"$scripts/setup.sh"
# shellcheck source=scripts/environment.sh
source "$scripts/environment.sh"
cd "$HIGHWATER_REPO"

preset="${HIGHWATER_PRESET:-dev}"
binaries="$(binaries_folder)"
build_log="$(mktemp)"
trap 'rm -f "$build_log"' EXIT # its time also tells which records are new

build() {
  cmake --preset "$preset" "${HIGHWATER_CMAKE_ARGS[@]}" && cmake --build --preset "$preset" --target highwater
}

# The folder of runs: what --results says, the last one if it is given twice.
results_folder() {
  local folder=results/runs
  while [[ $# -gt 0 ]]; do
    case $1 in
      --results) folder="${2:-$folder}" ;;
      --results=*) folder="${1#--results=}" ;;
    esac
    shift
  done
  printf '%s\n' "$folder"
}

draw_figures() {
  local run="$1/latest"
  # A dry run, --help or a usage error writes no records: `latest` is missing or older than this run. Files
  # written within one tick of the kernel's clock (4 ms) have the same time: equal is not older.
  [[ ! $build_log -nt $run/records.jsonl ]] || return 0
  "$binaries/highwater" plot --run "$(realpath -- "$run")" >&2
}

say "building (minutes the first time, seconds after)"
build >"$build_log" 2>&1 || {
  cat "$build_log" >&2
  die 1 "the build failed (see above)"
}
touch "$build_log"
[[ $# -gt 0 ]] || set -- --suite default
code=0
"$binaries/highwater" run "$@" || code=$?
draw_figures "$(results_folder "$@")" || code=$((code == 0 ? 1 : code))
exit "$code"
