# bash completion for anteroom. It asks `anteroom … --help` for commands, options and values, so it cannot be out of date.

# _anteroom_words SECTION <HELP: the first word of each entry in a section of a help text.
_anteroom_words() {
    awk -v section="$1:" '/^[^ ]/ { inside = $0 == section } inside && /^  [^ ]/ { print $1 }'
}

# _anteroom_options <HELP: options, which may also stand in groups with a section of their own.
_anteroom_options() {
    awk 'sub(/^  (  )?(-[a-z],)?--/, "--") { print $1 }'
}

# _anteroom_values ENTRY <HELP: the values that an option or positional may have, as in TEXT:{closed,open}.
_anteroom_values() {
    awk -v entry="$1" '$1 == entry && match($0, /\{[^}]*\}/) {
        count = split(substr($0, RSTART + 1, RLENGTH - 2), values, ",")
        for (i = 1; i <= count; ++i) { sub(/->.*/, "", values[i]); print values[i] }
    }'
}

_anteroom() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word entry help words
    local -a command=("${COMP_WORDS[0]}")
    COMPREPLY=()
    help=$("${command[@]}" --help 2>/dev/null) || return 0
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if _anteroom_words Subcommands <<<"$help" | grep -qxF -e "$word"; then
            command+=("$word")
            help=$("${command[@]}" --help 2>/dev/null) || return 0
        fi
    done

    if [[ $current == -* ]]; then
        words=$(_anteroom_options <<<"$help")
    elif [[ $previous == -* ]] && grep -qE -e "^ +(-[a-z],)?$previous [A-Z]+" <<<"$help"; then
        words=$(_anteroom_values "$previous" <<<"$help")
        if [[ -z $words ]]; then
            compopt -o default 2>/dev/null # A file, or something that only the user knows.
            return 0
        fi
    else
        words=$(_anteroom_words Subcommands <<<"$help")
        for entry in $(_anteroom_words Positionals <<<"$help"); do
            words+=$'\n'$(_anteroom_values "$entry" <<<"$help")
        done
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _anteroom anteroom
