#!/usr/bin/env bash
# What CI lints, and pre-commit with it. Needs shellcheck and clang-format (its major version is pinned).
#
#   scripts/lint.sh          check everything and exit 1 if anything is wrong
#   scripts/lint.sh format   reformat the C++ files in place
set -euo pipefail

# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=cmake/versions.env
source "$HIGHWATER_REPO/cmake/versions.env"
cd "$HIGHWATER_REPO"

clang_format() {
  local tool
  for tool in "clang-format-$CLANG_FORMAT_MAJOR" clang-format; do
    if "$tool" --version 2>/dev/null | grep -q "version $CLANG_FORMAT_MAJOR\."; then
      find . -path './build*' -prune -o -type f \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.cc' \) -print0 \
        | xargs -0 -r "$tool" "$@"
      return
    fi
  done
  die 2 "clang-format $CLANG_FORMAT_MAJOR is needed; install it: apt-get install clang-format-$CLANG_FORMAT_MAJOR"
}

check() {
  say "checking: $1"
  "${@:2}" || failed+=("$1")
}

if [[ ${1:-} == format ]]; then
  clang_format -i
  exit
fi
command -v shellcheck >/dev/null || die 2 "shellcheck is needed; install it: apt-get install shellcheck"
failed=()
check layers python3 scripts/check_layers.py
check text python3 scripts/check_text.py
check shell shellcheck --external-sources scripts/*.sh .ci/run
check format clang_format --dry-run --Werror
[[ ${#failed[@]} -eq 0 ]] || die 1 "these checks failed (see above): ${failed[*]}"
