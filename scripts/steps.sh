# For scripts that run steps one after the other (scripts/check, scripts/test-long). They define a function per step and the
# array `steps`, then call `run_steps NAME [STEP…]`. One line per step with its seconds; the output of a step goes to a
# log, whose end is shown when the step fails. Lines that count tests, and notes, are always shown.
jobs=$(nproc)

ctest_in() { ctest --test-dir "$1" -j "$jobs" --output-on-failure --no-tests=error "${@:2}"; }

run_step() {
    local script=$1 step=$2 started=$SECONDS log=build/$1-$2.log
    printf '%s: %s … ' "$script" "$step"
    if ! "$step" >"$log" 2>&1; then
        printf 'FAILED (%d s)\n' $((SECONDS - started))
        tail -n 300 "$log"
        echo "$script: the whole output is in $log"
        exit 1
    fi
    printf 'ok (%d s)\n' $((SECONDS - started))
    grep -E '^note: |warning: |tests passed|[0-9]+ passed, [0-9]+ failed|^No tests were found|SKIPPED|Skipped' "$log" |
        sort -u | sed 's/^/    /' || true
}

run_steps() {
    local script=$1 step
    shift
    mkdir -p build
    [ $# -gt 0 ] || set -- "${steps[@]}"
    for step in "$@"; do
        if [[ " ${steps[*]} " != *" $step "* ]]; then
            echo "$script: no step '$step'; there are: ${steps[*]}" >&2
            exit 2
        fi
    done
    for step in "$@"; do run_step "$script" "$step"; done
}
