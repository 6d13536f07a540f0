#!/usr/bin/env bash
# Says what is missing on this machine, by name, and how to get it.
#   requirements.sh python    what `make setup` needs
#   requirements.sh go        what building the test control plane needs
# No C compiler is needed: wheels on one side, CGO_ENABLED=0 on the other.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() { # what, how to get it
  printf '\nmissing: %s\n    %s\n' "$1" "$2" >&2
  exit 1
}

need_python() {
  local python=${PYTHON:-python3}
  command -v "$python" >/dev/null ||
    missing "Python 3.11 or newer" "Debian: apt-get install python3 python3-venv"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    missing "Python 3.11 or newer; $python is $("$python" -V)" "name another one: make setup PYTHON=python3.11"
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    missing "the venv module of $python" "Debian: apt-get install python3-venv (or python3.11-venv)"
}

need_go() {
  [ -z "${KUBEBUILDER_ASSETS:-}" ] || return 0 # it may hold all; the build says what it lacks
  local go wanted version
  wanted=$(awk '$1 == "go" {print $2}' hack/tools/go.mod)
  go=$(PATH=$PATH:/usr/local/go/bin command -v go) ||
    missing "Go $wanted or newer, which builds the test control plane" \
      "https://go.dev/doc/install, or set KUBEBUILDER_ASSETS to a folder that has the programs"
  # asked inside the module: a Go of 1.21 or later fetches the toolchain that go.mod asks for
  version=$("$go" -C hack/tools env GOVERSION 2>/dev/null) || version=$("$go" version)
  [ "$(printf '%s\n' "$wanted" "${version#go}" | sort -V | head -n 1)" = "$wanted" ] ||
    missing "Go $wanted or newer; $go is $version" "https://go.dev/doc/install"
}

"need_${1:?python or go}"
