#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what `make build` has built, or removes it again. Builds nothing, so that root need not.
#
#   install.sh install|uninstall
#
# Environment: PREFIX (/usr/local), DESTDIR (a folder that stands before it, for packages), BUILD (build).
#
# All files are first copied beside their places under other names and then renamed: whatever goes wrong before,
# what was there stays as it was, and nothing of the new is left. What was installed is listed in
# lib/weft/installed, folders that were made for it with a '/' at their ends.
# Exit codes: 2 wrong use, 4 something is missing, may not be written or does not fit.
set -uo pipefail
umask 022 # what is installed is for everybody, whatever the installer's own files are

cd "$(dirname "$0")/../.." || exit 4
verb=${1:-}
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}
build=${BUILD:-build}
version=$(cat VERSION)
manifest=lib/weft/installed
fresh=.weft-new # what a file is called until all are there

sources=() targets=() modes=()   # what to copy where; targets below the prefix
links=() contents=()             # symbolic links and what they say
made_folders=() made_files=()    # by this run, to be taken back if it fails; folders below the prefix,
made_above=()                    # and those down to it
scratch=                         # for generated files
notes=()                         # to be said at the end

say() { printf 'weft: %s\n' "$*" >&2; }
fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# ---------------------------------------------------------------- what belongs to it

file() { # MODE SOURCE TARGET
  [ -r "$2" ] || fail 4 "$2 is missing: run 'make build' first, then install"
  modes+=("$1") sources+=("$2") targets+=("$3")
}

link() { # TARGET CONTENT
  links+=("$1") contents+=("$2")
}

plan_library() {
  file 755 "$build/weft" bin/weft
  [ "$("$build/weft" --version)" = "weft $version" ] ||
    fail 4 "$build/weft is not version $version: run 'make build' first, then install"
  file 644 "$build/libweft.a" lib/libweft.a
  file 755 "$build/libweft.so" "lib/libweft.so.$version"
  link lib/libweft.so.0 "libweft.so.$version"
  link lib/libweft.so libweft.so.0
  local header
  for header in sw/include/weft/*.h; do file 644 "$header" "include/weft/${header##*/}"; done
  local text quoted=${prefix// /\\ } # a blank in the prefix must not end a flag
  text=$(cat sw/setup/weft.pc.in)
  text=${text//@PREFIX@/"$quoted"}
  printf '%s\n' "${text//@VERSION@/"$version"}" >"$scratch/weft.pc" || fail 4 "$no_scratch"
  file 644 "$scratch/weft.pc" lib/pkgconfig/weft.pc
}

plan_pages() {
  file 644 "$build/weft.1" share/man/man1/weft.1
  file 644 sw/tool/completion/weft.bash share/bash-completion/completions/weft
  file 644 sw/tool/completion/_weft share/zsh/site-functions/_weft
  file 644 sw/tool/completion/weft.fish share/fish/vendor_completions.d/weft.fish
  local page
  for page in README.md CHANGELOG.md CITATION.cff LICENSE; do file 644 "$page" "share/doc/weft/$page"; done
  while IFS= read -r page; do file 644 "$page" "share/doc/weft/$page"; done < <(find docs -type f | sort)
  file 644 sw/tool/wireshark/weft.lua share/weft/wireshark/weft.lua
  file 644 sw/setup/70-weft.rules lib/udev/rules.d/70-weft.rules
  for page in sw/examples/{Makefile,*.c,*.expected}; do file 644 "$page" "share/weft/examples/${page##*/}"; done
}

# Does the tool load it? It refuses what was built of other sources or for another version of itself.
loads() { # NAME
  local config=${1%-wave} run=(info)
  if [ "$config" != "$1" ]; then run=(run vecadd --size 64 --wave "$scratch/wave.fst"); fi
  WEFT_RTL_PATH=$build/rtl "$build/weft" "${run[@]}" -b "rtl:$config" >/dev/null 2>&1
}

# Whatever fabrics were built and fit the tool; not those that it has no name for.
plan_fabrics() {
  local library name
  for library in "$build"/rtl/*/libweft-rtl.so; do
    name=${library%/*}
    name=${name##*/}
    if [ ! -r "$library" ] || ! "$build/weft" config "${name%-wave}" >/dev/null 2>&1; then continue; fi
    if loads "$name"; then
      file 755 "$library" "lib/weft/rtl/$name/libweft-rtl.so"
    else
      notes+=("left out: rtl:$name was built of other sources; 'make rtl-$name' builds it again")
    fi
  done
}

# The virtual board: what shows it on USB, if umockdev was there, and the boards that were built and fit the tool.
plan_boards() {
  local library name
  [ -r "$build/libweft-vboard.so" ] || return 0
  file 755 "$build/libweft-vboard.so" lib/weft/libweft-vboard.so
  for library in "$build"/board/*/libweft-board.so; do
    name=${library%/*}
    name=${name##*/}
    if [ ! -r "$library" ] || ! "$build/weft" config "$name" >/dev/null 2>&1; then continue; fi
    if WEFT_BOARD_PATH=$build/board "$build/weft" vboard --config "$name" -- true >/dev/null 2>&1; then
      file 755 "$library" "lib/weft/board/$name/libweft-board.so"
    else
      notes+=("left out: the board of $name does not start; 'make board-$name' builds it again")
    fi
  done
}

# ---------------------------------------------------------------- before anything is written

cure="use sudo, or install below your own folder: make $verb PREFIX=\$HOME/.local"
no_scratch="cannot write to ${TMPDIR:-/tmp}: make room there, or set TMPDIR"

check_words() {
  case $prefix in
  /*) ;;
  *) fail 2 "PREFIX=$prefix must begin with '/': make $verb PREFIX=\$PWD/$prefix" ;;
  esac
  case $destination in
  '' | /*) ;;
  *) fail 2 "DESTDIR=$destination must begin with '/': make $verb DESTDIR=\$PWD/$destination" ;;
  esac
}

# Something can be written into a folder, or into the nearest folder above it that is there.
check_folder() {
  local folder=$1
  while [ ! -e "$folder" ] && [ ! -L "$folder" ]; do folder=$(dirname "$folder"); done
  [ -d "$folder" ] || fail 4 "cannot use $1: $folder is no folder"$'\n'"name another one: make $verb PREFIX=..."
  if [ ! -w "$folder" ] || [ ! -x "$folder" ]; then fail 4 "cannot write to $folder"$'\n'"$cure"; fi
}

check_targets() {
  local target folder seen=' '
  for target in "${targets[@]}" "${links[@]}" "$manifest"; do
    folder=$root/${target%/*}
    if [ -d "$root/$target" ] && [ ! -L "$root/$target" ]; then fail 4 "$root/$target is a folder: remove it, then install"; fi
    case $seen in *" $folder "*) continue ;; esac
    seen+="$folder "
    check_folder "$folder"
  done
}

# ---------------------------------------------------------------- copying

# Takes back what this run has made, in the opposite order.
take_back() {
  local i
  for ((i = ${#made_files[@]} - 1; i >= 0; i--)); do rm -f "${made_files[i]}"; done
  for ((i = ${#made_folders[@]} - 1; i >= 0; i--)); do rmdir "$root/${made_folders[i]}" 2>/dev/null; done
  for ((i = ${#made_above[@]} - 1; i >= 0; i--)); do rmdir "${made_above[i]}" 2>/dev/null; done
  made_files=() made_folders=() made_above=()
}

give_up() { # PATH REASON
  take_back
  fail 4 "cannot write $1: ${2##*: }; nothing was changed"$'\n'"make room or get permission, or name another folder: make install PREFIX=..."
}

# Makes a folder below the prefix, and those above it, and notes each of them.
make_folder() {
  local folder=$1 message
  if [ -d "$root/$folder" ]; then return; fi
  case $folder in */*) make_folder "${folder%/*}" ;; esac
  message=$(mkdir "$root/$folder" 2>&1) || give_up "$root/$folder" "$message"
  made_folders+=("$folder")
}

# The prefix itself, which is not ours to remove later.
make_prefix() { # FOLDER
  local message
  if [ -z "$1" ] || [ -d "$1" ]; then return; fi
  make_prefix "${1%/*}"
  message=$(mkdir "$1" 2>&1) || give_up "$1" "$message"
  made_above+=("$1")
}

copy_one() { # MODE SOURCE TARGET
  local message
  make_folder "${3%/*}"
  made_files+=("$root/$3$fresh")
  message=$(install -m "$1" -- "$2" "$root/$3$fresh" 2>&1) || give_up "$root/$3" "${message:-the copy was cut off}"
}

copy_all() {
  local i message
  for i in "${!sources[@]}"; do copy_one "${modes[i]}" "${sources[i]}" "${targets[i]}"; done
  for i in "${!links[@]}"; do
    made_files+=("$root/${links[i]}$fresh")
    message=$(ln -sfn "${contents[i]}" "$root/${links[i]}$fresh" 2>&1) || give_up "$root/${links[i]}" "$message"
  done
}

# The list of an installation that is there is kept where it still holds: its folders are ours.
write_manifest() {
  make_folder "${manifest%/*}"
  {
    printf '%s\n' "${targets[@]}" "${links[@]}" "$manifest"
    if ((${#made_folders[@]})); then printf '%s/\n' "${made_folders[@]}"; fi
    if [ -r "$root/$manifest" ]; then grep '/$' "$root/$manifest"; fi
  } | sort -u >"$scratch/manifest" || give_up "$scratch/manifest" "no room"
  copy_one 644 "$scratch/manifest" "$manifest"
}

# Takes a moment, in which nobody interrupts us. A file that cannot be replaced (something is mounted there, it is
# immutable) is found only now; those before it are new already, and that is said.
rename_all() {
  local target message
  trap '' INT TERM HUP
  for target in "${targets[@]}" "${links[@]}" "$manifest"; do
    if ! message=$(mv -fT "$root/$target$fresh" "$root/$target" 2>&1); then
      take_back
      fail 4 "cannot replace $root/$target: ${message##*: }"$'\n'"some files are new already: free that one, then install again"
    fi
  done
}

# Files of an earlier version that this one does not have.
remove_left_over() { # OLD_LIST
  local name
  [ -s "$1" ] || return 0
  while IFS= read -r name; do rm -f "$root/$name"; done < <(listed files "$1" | grep -vxF -f "$scratch/manifest")
}

# Where the system looks for rules by itself, they hold for the next board that is plugged in.
refresh_rules() {
  case $prefix in
  /usr | /usr/local) ;;
  *)
    notes+=("for boards: copy $root/lib/udev/rules.d/70-weft.rules to /etc/udev/rules.d, where the system looks")
    return 0
    ;;
  esac
  if [ -z "$destination" ] && [ "$(id -u)" = 0 ] && command -v udevadm >/dev/null; then
    udevadm control --reload 2>/dev/null
  fi
  return 0
}

refresh_cache() { # so that libweft.so is found at once, where the system looks into this folder at all
  if [ -z "$destination" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig 2>/dev/null; fi
  return 0
}

install_all() {
  local note
  plan_library
  plan_fabrics
  plan_boards
  plan_pages
  check_targets
  trap 'take_back; exit 130' INT TERM HUP
  make_prefix "$root"
  copy_all
  write_manifest
  if [ -r "$root/$manifest" ]; then cp "$root/$manifest" "$scratch/old"; fi
  rename_all
  trap - INT TERM HUP
  remove_left_over "$scratch/old"
  refresh_cache
  refresh_rules
  for note in "${notes[@]}"; do say "$note"; done
  echo "Weft $version is installed in ${root:-/}: $((${#targets[@]} + ${#links[@]})) files; 'make uninstall' with the same variables removes it"
}

# ---------------------------------------------------------------- and back

# Names of a list: its files, or its folders. Nothing but what lies below the prefix.
listed() { # files|folders LIST
  case $1 in
  files) grep -v '/$' "$2" ;;
  folders) sed -n 's|/$||p' "$2" ;;
  esac | grep -v -e '^/' -e '\.\.'
}

uninstall_all() {
  local note
  local name
  [ -r "$root/$manifest" ] || fail 4 "no Weft is installed in ${root:-/}: say the PREFIX and DESTDIR that it was installed with"
  cp "$root/$manifest" "$scratch/old" || fail 4 "$no_scratch"
  while IFS= read -r name; do check_folder "$root/$name"; done < <(listed files "$scratch/old" | sed 's|/[^/]*$||' | sort -u)
  while IFS= read -r name; do
    rm -f "$root/$name" || fail 4 "cannot remove $root/$name"$'\n'"$cure"
  done < <(listed files "$scratch/old")
  # Folders that were made for it, the deepest first, and only if nothing else came into them.
  while IFS= read -r name; do rmdir "$root/$name" 2>/dev/null; done < <(listed folders "$scratch/old" | sort -r)
  refresh_cache
  echo "Weft is removed from ${root:-/}"
}

case $verb:$# in
install:1 | uninstall:1) ;;
*) fail 2 "usage: [PREFIX=...] [DESTDIR=...] install.sh install|uninstall" ;;
esac
check_words
if [ "$prefix" != / ]; then prefix=${prefix%/}; fi
root=$destination$prefix
root=${root%/}
scratch=$(mktemp -d) || fail 4 "$no_scratch"
trap 'rm -rf "$scratch"' EXIT
"${verb}_all"
