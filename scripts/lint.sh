#!/usr/bin/env bash
# What CI lints, and pre-commit with it. Needs shellcheck and clang-format (its major version is pinned); the linters
# of workflows are installed in the cache.
#
#   scripts/lint.sh          check everything and exit 1 if anything is wrong
#   scripts/lint.sh format   reformat the C++ files in place
#
#   HIGHWATER_REQUIRE_ACTIONLINT   1: fail where actionlint cannot be had; else it is left out there, and CI has it
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

actionlint() {
  local tool="$linters/actionlint"
  [[ -x $tool ]] || tool="$(type -P actionlint)" || {
    [[ ${HIGHWATER_REQUIRE_ACTIONLINT:-0} != 1 ]] || die 1 "actionlint is neither in $linters nor on PATH; remove that folder to install it again"
    say "actionlint is not here, so its check is left to CI"
    return
  }
  "$tool"
}

if [[ ${1:-} == format ]]; then
  clang_format -i
  exit
fi
command -v shellcheck >/dev/null || die 2 "shellcheck is needed; install it: apt-get install shellcheck"
linters="$(scripts/install_linters.sh)"
failed=()
check layers python3 scripts/check_layers.py
check text python3 scripts/check_text.py
check shell shellcheck --external-sources scripts/*.sh .ci/run
check workflows "$linters/python" scripts/check_workflows.py
check actionlint actionlint
check zizmor "$linters/zizmor" --offline --quiet .github
check format clang_format --dry-run --Werror
[[ ${#failed[@]} -eq 0 ]] || die 1 "these checks failed (see above): ${failed[*]}"
