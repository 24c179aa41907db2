# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of weft for bash. The tool itself knows what may stand where: weft --complete WORD...

_weft() {
  local line=${COMP_LINE:0:COMP_POINT} words current candidate
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(''); fi
  current=${words[-1]}
  # Where bash breaks words at ':' and '=', it replaces only what stands behind the last of them.
  local breaks=${COMP_WORDBREAKS//[^:=]/} kept=
  if [[ -n $breaks && $current == *[$breaks]* ]]; then kept=${current%"${current##*["$breaks"]}"}; fi
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ $candidate == :file ]]; then
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "${current#"$kept"}")
      return
    fi
    COMPREPLY+=("${candidate#"$kept"}")
  done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace; fi
}

complete -F _weft weft
