#!/usr/bin/env bash
# Installs the linters of workflows in the cache and prints the folder of their programs. Quick when nothing is to do.
#
#   HIGHWATER_REQUIRE_ACTIONLINT   1: fail where actionlint cannot be had (its package downloads it from GitHub)
#
# Exit codes: 0 ready, 1 something failed.
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=cmake/versions.env
source "$HIGHWATER_REPO/cmake/versions.env"

folder="$HIGHWATER_CACHE_DIR/linters-$(sha256sum <<<"$LINT_PACKAGES $ACTIONLINT_PACKAGE" | cut -c -12)"
pip() { "$folder/bin/python" -m pip install --quiet "$@"; }

# A virtual environment cannot be moved, so it is made in place and stamped last (setup.sh says more).
install_all() {
  [[ -x $folder/bin/python && $(cat "$folder/made-for" 2>/dev/null) == "$(realpath "$folder/bin/python")" ]] && return
  say "installing $LINT_PACKAGES $ACTIONLINT_PACKAGE in $folder"
  rm -rf "$folder"
  python3 -m venv "$folder" >&2 \
    || die 1 "python3 could not make a virtual environment in $folder; is python3-venv installed?"
  # shellcheck disable=SC2086  # a list of words
  pip --only-binary=:all: $LINT_PACKAGES >&2 \
    || die 1 "pip could not install $LINT_PACKAGES in $folder (see above); check the network, then run again"
  install_actionlint
  realpath "$folder/bin/python" >"$folder/made-for"
}

install_actionlint() {
  local log
  log="$(pip "$ACTIONLINT_PACKAGE" 2>&1)" && return
  say "pip could not install $ACTIONLINT_PACKAGE; is github.com out of reach?"
  [[ ${HIGHWATER_REQUIRE_ACTIONLINT:-0} != 1 ]] || die 1 "$log"
}

mkdir -p -- "$HIGHWATER_CACHE_DIR"
exec 9>"$HIGHWATER_CACHE_DIR/linters.lock"
flock 9
install_all
printf '%s/bin\n' "$folder"
