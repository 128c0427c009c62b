#!/usr/bin/env bash
# Writes down what a real GPU does with the default suite, for `scripts/fidelity.py --real FOLDER`:
# the card's profile and memory, every allocator event and the driver's memory of every cell, matrix
# product and copy rates, step times. One command, under four minutes, no network.
#
#   gpu_capture.sh FOLDER      FOLDER must not exist; FOLDER.tar.gz (under 16 MiB) holds the same
#
#   HIGHWATER_BUILD    build folder with bin/highwater (default: build, beside scripts/)
#   HIGHWATER_TORCH    torch folder of the pinned version, where the build's own is not on this machine
#                      (default: the one that python3 imports, if any)
#   HIGHWATER_DEVICE   device to capture (default: cuda); sim:h200 tries the whole road without a GPU
#
# Exit codes: 0 all there, 1 a step failed or ran out of time (the others are there), 2 not started.
set -uo pipefail

repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/environment.sh
source "$repo/scripts/environment.sh"

[[ $# -eq 1 ]] || die 2 "gpu_capture.sh takes one argument, the folder to write, but got: $*"
folder=$1
device="${HIGHWATER_DEVICE:-cuda}"
highwater="${HIGHWATER_BUILD:-$repo/build}/bin/highwater"
most_bytes=$((16 << 20))
failed=0

[[ ! -e $folder ]] || die 2 "$folder is there already; name a new folder, or remove it"
[[ -x $highwater ]] || die 2 "there is no $highwater; build first (scripts/test.sh), or set HIGHWATER_BUILD"

# The build's own search path names the machine it was built on.
use_torch_of_this_machine() {
  local torch="${HIGHWATER_TORCH:-}"
  [[ -n $torch || -e ${HIGHWATER_TORCH_DIR:-}/lib/libtorch_cuda.so ]] \
    || torch="$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))' 2>/dev/null)"
  [[ -n $torch ]] || return 0
  [[ -e $torch/lib/libtorch_cuda.so ]] || die 2 "$torch holds no lib/libtorch_cuda.so; set HIGHWATER_TORCH to a CUDA build of torch"
  export LD_LIBRARY_PATH="$torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# step SECONDS NAME COMMAND...: one step; what it prints is kept, its failure costs the others nothing.
step() {
  local seconds=$1 name=$2 status=0 start=$SECONDS
  shift 2
  timeout "$seconds" "$@" >"$folder/$name.log" 2>&1 || status=$?
  printf '%s\t%s\t%s\n' "$name" "$status" "$((SECONDS - start))" >>"$folder/steps.tsv"
  [[ $status -eq 0 ]] && return
  failed=1
  say "$name: exit $status after $((SECONDS - start)) s; the end of $folder/$name.log:"
  tail -n 5 "$folder/$name.log" >&2
}

# Events before times: they are what nothing else can give.
capture() {
  step 30 profile "$highwater" doctor --device "$device" --write-profile "$folder/profile.json"
  step 110 events "$highwater" capture --device "$device" --into "$folder"
  step 90 times "$highwater" run --device "$device" --record-only --results "$folder/runs"
  [[ $device != cuda ]] || step 10 driver nvidia-smi -q
}

use_torch_of_this_machine
mkdir -p -- "$folder" || die 2 "the folder $folder cannot be made"
printf 'step\tstatus\tseconds\n' >"$folder/steps.tsv"
capture
tar -C "$(dirname -- "$folder")" -czf "$folder.tar.gz" "$(basename -- "$folder")" || die 1 "$folder.tar.gz could not be written"
bytes=$(stat -c %s "$folder.tar.gz")
((bytes <= most_bytes)) || { say "$folder.tar.gz holds $bytes bytes, more than $most_bytes"; failed=1; }
say "capture of $device: $folder.tar.gz, $bytes bytes, $SECONDS s"
exit "$failed"
