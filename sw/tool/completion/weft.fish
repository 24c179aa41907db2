# SPDX-License-Identifier: Apache-2.0
# Completion of weft for fish. The tool itself knows what may stand where: weft --complete WORD...

function __weft_complete
    set -l words (commandline --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":file"
            set -l option (string match -r -- '^--[^=]*=' "$current")
            __fish_complete_path (string replace -- "$option" "" "$current") | string replace -r '^' -- "$option"
        else
            printf '%s\n' $line
        end
    end
end

complete --command weft --no-files --arguments '(__weft_complete)'
