#!/usr/bin/env bash
# Holds every reader of files against random bytes: installs Debian packages, clang among them, builds one fuzzer a
# reader (preset fuzz; it needs no Torch) and runs each from the inputs in tests/fuzz/corpus/. Arguments are readers;
# without any it runs them all:
#
#   scripts/fuzz.sh
#   HIGHWATER_FUZZ_SECONDS=600 scripts/fuzz.sh records
#
#   HIGHWATER_FUZZ_SECONDS   how long each fuzzer runs (default: 10)
#
# Exits 1 where a reader crashed, hung or broke a promise. The input then lies in build-fuzz/found/: mend the reader and
# keep the input in tests/fuzz/corpus/<reader>/, where an ordinary test replays it.
set -euo pipefail

# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$HIGHWATER_REPO"

seconds="${HIGHWATER_FUZZ_SECONDS:-10}"
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die 2 "HIGHWATER_FUZZ_SECONDS is '$seconds'; it must be a whole number of at least 1"
corpus=tests/fuzz/corpus
# Readers that take a path read a file a trial: on a disk a few a second, and a stall would look like a hang.
[[ ! -w /dev/shm ]] || export TMPDIR=/dev/shm
found=build-fuzz/found

# The distribution's own clang: it understands the distribution's libstdc++. setup.sh leaves it out, 0.4 GB that
# nothing else needs.
DEBIAN_PACKAGES+=" clang libclang-rt-dev"

# What it has learnt stays in build-fuzz/corpus/ and helps the next run.
fuzz() {
  local reader=$1
  mkdir -p "build-fuzz/corpus/$reader" "$found"
  "build-fuzz/bin/fuzz_$reader" "build-fuzz/corpus/$reader" "$corpus/$reader" -max_total_time="$seconds" \
    -timeout=25 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 -artifact_prefix="$found/$reader-"
}

lock_cache
install_packages
check_cmake
exec 9>&-
[[ $# -gt 0 ]] || set -- "$corpus"/*
say "building preset fuzz"
cmake --preset fuzz
cmake --build --preset fuzz
for reader in "${@##*/}"; do
  [[ -d $corpus/$reader ]] || die 2 "there is no reader $reader; those that there are: $(cd "$corpus" && printf '%s ' *)"
  say "fuzzing $reader for $seconds s"
  fuzz "$reader" || die 1 "reader $reader failed (see above); its input lies in $found/$reader-*: mend the reader, and keep the input in $corpus/$reader/"
done
say "no reader crashed, hung or broke a promise"
