#!/usr/bin/env bash
# What the GitHub action and CI do with a run, one command a step:
#
#   scripts/review.sh measure [ARGUMENTS OF highwater run]   as scripts/run.sh; the run is results/runs/latest
#   scripts/review.sh gate                                   judge it
#   scripts/review.sh report FOLDER                          records.jsonl, report.md, summary.md, pull_request.txt
#   scripts/review.sh propose FOLDER REASON                  FOLDER/baseline: what would have to be accepted
#
#   HIGHWATER_BASELINES   folder of baselines (default: results/baselines)
#   HIGHWATER_PRESET      the preset that was built (default: dev)
#   PULL_REQUEST          its number, where there is one
#
# Exits as the program does.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
cd "$HIGHWATER_REPO"

run=results/runs/latest
baselines="${HIGHWATER_BASELINES:-results/baselines}"
highwater="$(binaries_folder)/highwater"

measure() {
  rm -f -- "$run" # where this fails early, no older run may be judged in its place
  scripts/run.sh --baselines "$baselines" "$@"
}

gate() { "$highwater" gate "$run" --baselines "$baselines"; }

report() {
  mkdir -p -- "$1"
  cp -- "$run/records.jsonl" "$1/records.jsonl"
  "$highwater" report "$run" --baselines "$baselines" --format markdown >"$1/report.md"
  "$highwater" export "$run" --baselines "$baselines" --format markdown --output "$1/summary.md"
  [[ -z ${PULL_REQUEST:-} ]] || printf '%s\n' "$PULL_REQUEST" >"$1/pull_request.txt"
}

propose() {
  "$highwater" baseline propose "$run" --baselines "$baselines" --reason "$2" --output "$1/baseline"
}

usage() { die 2 "usage: scripts/review.sh measure [ARGUMENTS] | gate | report FOLDER | propose FOLDER REASON"; }

case "${1:-} $#" in
  "measure "*) measure "${@:2}" ;;
  "gate 1" | "report 2" | "propose 3") "$@" ;;
  *) usage ;;
esac
