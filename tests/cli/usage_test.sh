#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commands, help, and what is said about wrong usage.
. "$(dirname "$0")/lib.sh"

# refused CODE MESSAGE ARGUMENT...: nothing on standard output, one line on standard error.
refused() {
    local expected_code=$1 message=$2
    shift 2
    run "$@"
    exits "$expected_code"
    stdout_is </dev/null
    stderr_is <<<"$message"
}

begin "without arguments: how to use it"
run
exits 2
stdout_is </dev/null
cp "$root/stderr" short.txt

# The list of man pages has every command: millrace-NAME.1.
commands=$("$MILLRACE" help --man | sed -n 's/^millrace-\(.*\)\.1$/\1/p')
[ "$(wc -w <<<"$commands")" -ge 26 ] || fail "only these commands: $commands"

begin "help"
run help
exits 0
stderr_is </dev/null
for command in $commands; do
    has "$root/stdout" "  $command "
done
cp "$root/stdout" help.txt
run --help
exits 0
stdout_is <help.txt
run -h
exits 0
stdout_is <short.txt
[ "$(wc -l <"$root/stdout")" -le 24 ] || fail "longer than a screen"
for command in $commands help; do
    has "$root/stdout" "$command"
done
run help help
exits 0
has "$root/stdout" "Usage: millrace help [COMMAND|TOPIC]"
run help formats
exits 0
for format in $("$MILLRACE" help --completion bash | sed -n "s/.*--format.*words='\\([^']*\\)'.*/\\1/p" | head -1); do
    case $format in auto | snap) ;; *) has "$root/stdout" "  $format " ;; esac
done
for topic in formats inputs profiles exit-codes; do
    run help "$topic"
    awk 'length > 80 { exit 1 }' "$root/stdout" || fail "$topic: longer than 80 columns"
done
exits 0
has "$root/stdout" "  5  over the memory or disk budget"

begin "help of every command: usage, options, an example, at most 80 columns"
for command in $commands; do
    run help "$command"
    exits 0
    stderr_is </dev/null
    has "$root/stdout" "Usage: millrace $command "
    has "$root/stdout" "--memory SIZE"
    lacks "$root/stdout" "help build"
    has "$root/stdout" "--help"
    has "$root/stdout" "Examples:"
    has "$root/stdout" "  millrace $command "
    awk 'length > 80 { exit 1 }' "$root/stdout" || fail "a line is longer than 80 columns"
    cp "$root/stdout" help.txt
    run "$command" --help
    exits 0
    stdout_is <help.txt
    run "$command" some operands -h
    exits 0
    [ "$(wc -l <"$root/stdout")" -le 28 ] || fail "longer than a screen"
    awk 'length > 80 { exit 1 }' "$root/stdout" || fail "a line is longer than 80 columns"
    has "$root/stdout" "Usage: millrace $command "
    has "$root/stdout" "'millrace $command --help' explains every option."
    ! grep -q ' $' "$root/stdout" || fail "an option has no text"
    n_lines=$(grep -cE '^  (-.,|   ) --[^ ]+( [^ ]+)?  +[A-Z]' "$root/stdout")
    [ "$n_lines" -ge 2 ] && [ "$n_lines" -le 15 ] || fail "$n_lines options have a line"
    for option in $(sed -n '1,/^For an input that is not/{s/^ \{2,6\}\(-., \)\?\(--[a-z0-9-]*\).*/\2/p}' help.txt); do
        grep -qE -- "$option( |\$)" "$root/stdout" || [ "$option" = --help ] || fail "-h has no $option"
    done
done

begin "the options of inputs are explained once"
run help inputs
exits 0
cp "$root/stdout" inputs.txt
[ "$(grep -cE '^ +(-., )?--' inputs.txt)" -ge 15 ] || fail "few options"
run help build
cp "$root/stdout" build.txt
for option in $(sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p' inputs.txt); do
    grep -qF -- "$option" build.txt || fail "build does not name $option"
done
run help append
for option in undirected duplicates self-loops transpose order profile rule classes force; do
    ! grep -qE "^ .*--$option\b" "$root/stdout" || fail "append refuses --$option, and lists it"
done

begin "an option that help lists is not refused as such"
for command in $commands; do
    run help "$command"
    cp "$root/stdout" help.txt
    for option in --json --estimate; do
        grep -qE "^ +(-., )?$option\b" help.txt || continue
        : >a
        run "$command" a b "$option" -o out
        ! grep -qE "has no --(json|estimate)" "$root/stderr" || fail "$command lists $option"
    done
done

begin "the version"
run version
exits 0
cp "$root/stdout" version.txt
run --version
exits 0
stderr_is </dev/null
stdout_is <version.txt
grep -qE '^millrace [0-9]+\.[0-9]+\.[0-9]+, ' "$root/stdout" || fail "no version"
has "$root/stdout" "zstd "
has "$root/stdout" "key decoder: "

begin "unknown commands"
refused 2 "millrace: unknown command pagernak; did you mean pagerank? 'millrace help' lists all" \
    pagernak
refused 2 "millrace: unknown command frobnicate; 'millrace help' lists all" frobnicate
refused 2 "millrace: unknown command import; did you mean build? 'millrace help' lists all" import x.txt
refused 2 "millrace: unknown command bild; did you mean build? 'millrace help' lists all" help bild
refused 2 "millrace: unknown command top; did you mean pagerank? 'millrace help' lists all" top x.mill
refused 2 "millrace: inputs is no command; see 'millrace help inputs'" inputs
printf '1 2\n' >one.txt
run build -o one.mill one.txt --quiet
refused 2 "millrace: one.mill is a store; a command comes first, such as 'millrace info one.mill'" one.mill
rm -r one.txt one.mill
for command in "version --help" "help version" "version -h"; do
    run $command
    exits 0
    [ "$(head -n 1 "$root/stdout")" = "Usage: millrace version" ] || fail "$command: $(cat "$root/stdout")"
done
run help --help
exits 0
[ "$(head -n 1 "$root/stdout")" = "Usage: millrace help [COMMAND|TOPIC]" ] || fail "$(cat "$root/stdout")"
refused 2 "millrace: unknown option --quiet; a command comes first, and 'millrace help' lists all" \
    --quiet

begin "unknown options"
refused 2 "millrace: unknown option --dampign; did you mean --damping? 'millrace help pagerank' lists all" \
    pagerank x --dampign 0.5
refused 2 "millrace: unknown option --damping; 'millrace help info' lists all" info x --damping 0.5
while read -r other ours command; do # words of other programs
    refused 2 "millrace: unknown option --$other; it is --$ours here, and 'millrace help $command' explains it" \
        "$command" x "--$other" 1
done <<'END'
alpha damping pagerank
tol tolerance hits
max-iter max-passes pagerank
reverse transpose pagerank
seed seeds pagerank
END
refused 2 "millrace: unknown option -x; 'millrace help build' lists all" build -x
while read -r option; do # with one dash; -force would write to rce
    refused 2 "millrace: unknown option -$option; did you mean --$option? 'millrace help pagerank' lists all" \
        pagerank x "-$option" 1
done < <("$MILLRACE" pagerank --help | sed -nE 's/^ {2,6}(-., )?--([a-z-]{3,}).*/\2/p')
[ -z "$(ls)" ] || fail "files: $(ls)"

begin "options without a value, or with one too many"
refused 2 "millrace: --damping: needs a value: --damping A" pagerank x --damping
refused 2 "millrace: -o: needs a value: -o STORE" build x -o
refused 2 "millrace: --quiet: takes no value" info x --quiet=yes

begin "values out of range"
refused 2 "millrace: --damping 1.5: must be at least 0 and below 1" pagerank x --damping 1.5
refused 2 "millrace: --damping 1: must be at least 0 and below 1" pagerank x --damping=1
refused 2 "millrace: --damping much: not a number; must be at least 0 and below 1" \
    pagerank x --damping much
refused 2 "millrace: --tolerance 0: must be above 0" pagerank x --tolerance 0
refused 2 "millrace: --threads 0: must be from 1 to 4096" info x --threads 0
refused 2 "millrace: --top -1: not a whole number; write its digits, such as 1000" pagerank x --top -1
refused 2 "millrace: --levels 127: must be from 1 to 126" precedence x --levels 127
refused 2 "millrace: --io ring: must be auto, uring or pread; did you mean uring?" \
    info x --io ring
refused 2 "millrace: --dangling leak: must be teleport, uniform or none" pagerank x --dangling leak
refused 2 "millrace: --codec lz4: must be plain, zstd or zstd:LEVEL" build x --codec lz4
refused 2 "millrace: --codec zstd:20: the level must be from 1 to 19" build x --codec zstd:20
refused 2 "millrace: --codec zstd:: the level is missing" build x --codec zstd:
refused 2 "millrace: --percentages 50,49: must add up to 100, not 99" \
    precedence x --percentages 50,49
refused 2 "millrace: --percentages 100,0: must be numbers above 0 with commas between, such as 10,20,70" \
    precedence x --percentages 100,0
refused 2 "millrace: --memory 64Q: not a size; write bytes, or a number with k, M, G, T, Ki, Mi, Gi, Ti or %, such as 4G" \
    info x --memory 64Q
refused 2 "millrace: --memory 0%: must be above 0% and at most 100%" info x --memory 0%

begin "sizes are answered in the unit that was asked in, and the answer works"
printf '1 2\n' >one.txt
# What is typed, what the answer calls it, and a size of the answer.
while IFS='|' read -r typed said enough; do
    run info x --memory "$typed"
    exits 5
    has "$root/stderr" "a memory budget of $said is too small; say --memory 34M or 32Mi"
    run build one.txt -o one.mill --force --quiet --memory "$enough"
    exits 0
done <<'END'
33M|33.0 MB|34M
31Mi|31.0 MiB|32Mi
1k|1.0 kB|34M
0|0 bytes|34M
33554431|33554431 bytes|32Mi
END
run generate rmat --scale 21 --edge-factor 1 -o wide.mill --quiet
for memory in 34M 34Mi; do
    unit=${memory#34} name=MB
    [ "$unit" = M ] || name=MiB
    run pagerank wide.mill --iterations 1 --top 1 --estimate --memory $memory
    grep -Eq "^peak memory     [0-9.]+ $name \(--memory 3[0-9.]+ $name\)" "$root/stdout" || fail "$(cat "$root/stdout")"
    least=$(sed -n 's/^least memory    --memory \([0-9]*'"$unit"'\);.*/\1/p' "$root/stdout")
    run pagerank wide.mill --iterations 1 --top 1 --memory $memory
    exits 5
    has "$root/stderr" "needs --memory $least or more"
    run pagerank wide.mill --iterations 1 --top 1 --quiet --memory "$least"
    exits 0
done
rm -r one.txt one.mill wide.mill

begin "too few or too many operands"
refused 2 "millrace: build needs an input file (- for standard input); 'millrace help build' tells more" \
    build -o x.mill
refused 2 "millrace: info needs a store; 'millrace help info' tells more" info
refused 2 "millrace: b: one argument too many; info takes a store, and 'millrace help info' tells more" \
    info a b
refused 2 "millrace: generate needs the kind of graph (kron, rmat, crawl, livejournal-like or hosts); 'millrace help generate' tells more" \
    generate

begin "what is required"
refused 2 "millrace: build: needs an output; say -o STORE, such as -o web.mill" build x
refused 2 "millrace: generate: how many pages? Say --scale S for 2^S of them" \
    generate kron -o x.mill
refused 2 "millrace: generate: needs an output; say -o STORE or -o FILE, such as -o kron.mill or -o kron.txt.zst" \
    generate kron --scale 3
refused 2 "millrace: generate krone: must be kron, rmat, crawl, livejournal-like or hosts; did you mean kron?" \
    generate krone --scale 3 -o x.mill

begin "flags that contradict each other"
refused 2 "millrace: --vertices and --vertex-list exclude each other; give one of them" \
    build x -o x.mill --vertices 3 --vertex-list y
refused 2 "millrace: --vertices is for numbered pages, --format urls for names; list the names with --vertex-list" \
    build x -o x.mill --vertices 3 --format urls
refused 2 "millrace: --max-bad needs --bad-lines skip" build x -o x.mill --max-bad 3
refused 2 "millrace: standard input can be read only once; name - once" build - - -o x.mill
refused 2 "millrace: standard input can be read only once; name - once" append x --gone - --seeds -
refused 2 "millrace: standard input can be read only once; name - once" append x - --gone -
refused 2 "millrace: standard input can be read only once; name - once" pagerank x --fetched links:- --times - --next 1
mkfifo pipe
refused 2 "millrace: pipe and ./pipe are one pipe, which can be read only once; name it once" \
    build pipe --vertex-list ./pipe -o x.mill
refused 2 "millrace: pipe and pipe are one pipe, which can be read only once; name it once" append x --gone pipe --seeds pipe
rm pipe
refused 2 "millrace: --names and -o would both go to standard output; name a file for one of them" \
    export x --to edges --names /dev/stdout
refused 2 "millrace: --log /dev/stdout: needs a file of its own" pagerank x --log /dev/stdout
refused 2 "millrace: --state -: needs a file of its own" opic x --state - -o y
refused 2 "millrace: --teleport and --seeds exclude each other; give one of them" \
    pagerank x --teleport a --seeds b
refused 2 "millrace: --iterations makes exactly so many rounds; leave out --tolerance and --max-passes" \
    pagerank x --iterations 3 --tolerance 1e-3 --max-passes 5
refused 2 "millrace: --levels 3 and --percentages with 2 numbers contradict each other; leave out --levels" \
    precedence x --levels 3 --percentages 50,50
refused 2 "millrace: precedence --json: the levels go to standard output already; say -o FILE" \
    precedence x --json

begin "what is not there"
refused 3 "millrace: x.mill: does not exist; check the name" pagerank x.mill
refused 2 "millrace: --tmp nowhere: no such directory; make it first" info x --tmp nowhere

finish
