#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which outputs are refused: before any work, with nothing changed. cli/program/files.c is the one place for it.
. "$(dirname "$0")/lib.sh"

# The names below the directory, and the sums of the regular files.
shopt -s globstar dotglob
everything() {
    local path files=()
    for path in **; do
        [ ! -f "$path" ] || [ -L "$path" ] || files+=("$path")
    done
    cksum "${files[@]}"
    printf '%s\n' **
}

# refused CODE MESSAGE ARGUMENT...: that message, nothing printed, and no file of the directory changed.
refused() {
    local expected_code=$1 message=$2 before
    shift 2
    before=$(everything)
    run "$@"
    exits "$expected_code"
    stdout_is </dev/null
    stderr_is <<<"$message"
    [ "$before" = "$(everything)" ] ||
        fail "a file was changed"
}

prepare() {
    begin "$1"
    printf '1 2\n2 3\n3 1\n1 3\n' >links.txt
    printf '1\t0.5\n2\t0.25\n3\t0.25\n' >scores.tsv
    run build -o web.mill links.txt --quiet
    exits 0
}

in_store="is inside a store, which may hold only its own files; choose another path for"

prepare "outputs inside a store, however they are spelled"
ln -s web.mill link.mill
mkdir deep
ln -s ../web.mill deep/link
ln -s web.mill/notes.txt notes
echo mine >web.mill/notes.txt
for path in web.mill/ranks.tsv ./web.mill/../web.mill//ranks.tsv link.mill/ranks.tsv \
    deep/link/ranks.tsv "$PWD/web.mill/ranks.tsv"; do
    refused 2 "millrace: $path: $in_store -o" pagerank web.mill -o "$path"
    refused 2 "millrace: $path: $in_store -o" pagerank web.mill -o "$path" --force
done
(cd web.mill && "$MILLRACE" pagerank . -o ranks.tsv 2>../said)
file_is said <<END
millrace: ranks.tsv: $in_store -o
END
missing web.mill/ranks.tsv
refused 2 "millrace: notes: $in_store --log" pagerank web.mill --log notes --force
refused 2 "millrace: web.mill/x: $in_store --log" pagerank web.mill --log web.mill/x
refused 2 "millrace: web.mill/x: $in_store --names" hits web.mill --names web.mill/x
refused 2 "millrace: web.mill/x: $in_store --checkpoint" pagerank web.mill --checkpoint web.mill/x
refused 2 "millrace: web.mill/x: $in_store --state" opic web.mill --state web.mill/x
refused 2 "millrace: web.mill/x: $in_store -o" build links.txt -o web.mill/x
refused 2 "millrace: web.mill/x.txt: $in_store OUTPUT" convert links.txt web.mill/x.txt
refused 2 "millrace: web.mill/x.graph: $in_store -o" export web.mill -o web.mill/x.graph
refused 2 "millrace: web.mill/x.mill: $in_store -o" transpose web.mill -o web.mill/x.mill
refused 2 "millrace: web.mill/x.u32: $in_store -o" generate kron --scale 3 -o web.mill/x.u32
refused 2 "millrace: web.mill/x: $in_store -o" find web.mill . -o web.mill/x
refused 2 "millrace: web.mill/x: $in_store -o" hosts web.mill -o web.mill/x
refused 2 "millrace: web.mill/x: $in_store -o" precedence scores.tsv -o web.mill/x
refused 2 "millrace: web.mill: $in_store -o" crawl-rank links.txt -o web.mill
refused 2 "millrace: web.mill/x: $in_store -o" crawl-rank links.txt -o web.mill/x
refused 2 "millrace: link.mill: $in_store --tmp" pagerank links.txt --tmp link.mill

prepare "a directory that has a file called MANIFEST is no store"
mkdir sources
echo 'include *.py' >sources/MANIFEST
run pagerank web.mill -o sources/ranks.tsv --quiet
exits 0
[ -s sources/ranks.tsv ] || fail "no scores"

prepare "append leaves what is not the store's"
mkdir web.mill/deeper
echo mine >web.mill/notes.txt
echo mine >web.mill/links.txt
echo mine >web.mill/names.7.bak
echo mine >web.mill/index.99
echo mine >web.mill/deeper/links.1
printf '3 4\n' >more.txt
run append web.mill more.txt --quiet
exits 0
for file in notes.txt links.txt names.7.bak deeper/links.1; do
    file_is web.mill/$file <<<mine
done
only_left links.txt more.txt scores.tsv web.mill
run check --full web.mill --quiet
exits 0
# Replaced by a build of the same links, weighted or not.
printf '1 2 3\n2 3 4\n' >weighted.txt
run build -o web.mill weighted.txt --weights --force --quiet
exits 0
run append web.mill weighted.txt --quiet
exits 0
file_is web.mill/notes.txt <<<mine
file_is web.mill/deeper/links.1 <<<mine
only_left links.txt more.txt scores.tsv weighted.txt web.mill

prepare "--checkpoint replaces checkpoints only"
not_one="is not a checkpoint and is not replaced; name another file with --checkpoint"
for path in links.txt scores.tsv web.mill/MANIFEST; do
    refused 2 "millrace: $path: $not_one" pagerank web.mill --checkpoint $path
    refused 2 "millrace: $path: $not_one" pagerank web.mill --checkpoint $path --force
    refused 2 "millrace: $path: $not_one" pagerank web.mill --checkpoint $path --resume
done
echo mine >ranks.tsv.checkpoint
refused 2 "millrace: ranks.tsv.checkpoint: $not_one" pagerank web.mill -o ranks.tsv
printf 'MRCHKPT\n and something' >state
refused 2 "millrace: state: exists; --resume continues from it, --force starts again" \
    pagerank web.mill --checkpoint state
run pagerank web.mill --checkpoint state --force --quiet -o new.tsv
exits 0

prepare "an output that is an input, by what it is and not by its name"
ln links.txt hard.txt
ln -s links.txt soft.txt
ln -s web.mill soft.mill
also() {
    echo "millrace: $1: is also an input ($2); name another file for $3"
}
for path in links.txt ./links.txt hard.txt soft.txt; do
    refused 2 "$(also $path links.txt OUTPUT)" convert links.txt $path --force
    refused 2 "$(also $path links.txt OUTPUT)" convert links.txt $path
    refused 2 "$(also $path links.txt -o)" pagerank links.txt -o $path --force
    refused 2 "$(also $path links.txt -o)" build links.txt -o $path --force
done
refused 2 "$(also scores.tsv scores.tsv -o)" precedence scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv ./scores.tsv -o)" \
    precedence --mix 1:links.txt,2:./scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" \
    precedence links.txt --only-changed scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv --log)" \
    pagerank web.mill --start scores.tsv --log scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" hosts web.mill --scores scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" ppr web.mill --teleport scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" hits web.mill --start scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" \
    trustrank web.mill --trusted scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv --names)" \
    export web.mill -o x.u32 --vertex-list scores.tsv --names scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv --state)" opic web.mill --times scores.tsv --state scores.tsv
refused 2 "$(also scores.tsv scores.tsv -o)" \
    opic web.mill --fetched list:scores.tsv -o scores.tsv --force
refused 2 "$(also scores.tsv scores.tsv -o)" \
    opic web.mill --targets scores.tsv -o scores.tsv --force
refused 2 "$(also soft.mill web.mill -o)" transpose web.mill -o soft.mill --force
refused 2 "$(also web.mill ./soft.mill 'the store')" append web.mill ./soft.mill
cp scores.tsv a.tsv.meta.json
refused 2 "$(also a.tsv.meta.json a.tsv.meta.json 'the metadata of -o')" \
    pagerank web.mill --teleport a.tsv.meta.json -o a.tsv
mkdir out
cp scores.tsv out/precedence.txt
refused 2 "$(also out/precedence.txt out/precedence.txt 'the levels')" \
    crawl-rank links.txt -o out --only-changed out/precedence.txt --force
run export web.mill -o graph.graph --quiet
exits 0
refused 2 "$(also graph.graph graph.graph OUTPUT)" convert graph graph --to bvgraph --force
refused 2 "$(also graph.properties graph.properties OUTPUT)" convert graph.graph graph.properties --to edges --force

prepare "standard input and standard output are files, too"
command_line="pagerank - -o links.txt"
"$MILLRACE" pagerank - -o links.txt --force <links.txt >said 2>&1
file_is said <<'END'
millrace: links.txt: is also an input (standard input); name another file for -o
END
command_line="precedence scores.tsv >>scores.tsv"
"$MILLRACE" precedence scores.tsv >>scores.tsv 2>said
file_is said <<'END'
millrace: standard output: is also an input (scores.tsv); name another file for standard output
END
command_line="pagerank web.mill --log x >>x"
"$MILLRACE" pagerank web.mill --log x --force >>x 2>said
file_is said <<'END'
millrace: standard output: --log and standard output would write the same file; give each its own
END
[ ! -s x ] || fail "something was written"

prepare "two outputs that are one file"
both() {
    echo "millrace: $1: $2 and $3 would write the same file; give each its own"
}
mkdir deep
ln -s . deep/here
refused 2 "$(both same -o --names)" pagerank web.mill -o same --names same
refused 2 "$(both ./same -o --names)" pagerank web.mill -o same --names ./same
refused 2 "$(both deep/here/same -o --names)" hits web.mill -o deep/same --names deep/here/same
refused 2 "$(both x -o --log)" pagerank web.mill -o x --log x
refused 2 "$(both x.meta.json 'the metadata of -o' --names)" \
    pagerank web.mill -o x --names x.meta.json
refused 2 "$(both x --names -o)" export web.mill -o x --to u32 --names x
refused 2 "$(both x.offsets --names -o)" export web.mill -o x.graph --names x.offsets
refused 2 "$(both o --state -o)" opic web.mill --state o -o o
refused 2 "$(both o.meta.json --state 'the metadata of -o')" opic web.mill --state o.meta.json -o o
refused 2 "$(both x --checkpoint -o)" pagerank web.mill --checkpoint x -o x
refused 2 "$(both x.checkpoint --names 'the checkpoint of -o')" \
    pagerank web.mill -o x --names x.checkpoint
run pagerank web.mill -o /dev/null --log /dev/null --quiet
exits 0
nothing_printed

prepare "a directory that is not there or is none"
for option in "-o" "--log" "--names" "--checkpoint"; do
    refused 1 "millrace: nowhere/x: the directory nowhere is not there; make it first" \
        pagerank web.mill $option nowhere/x
done
refused 1 "millrace: nowhere/x: the directory nowhere is not there; make it first" \
    opic web.mill --state nowhere/x
refused 1 "millrace: links.txt/x: links.txt is no directory; name another directory" \
    pagerank web.mill -o links.txt/x
refused 1 "millrace: nowhere/x: the directory nowhere is not there; make it first" \
    generate kron --scale 3 -o nowhere/x
refused 1 "millrace: nowhere/x.graph: the directory nowhere is not there; make it first" \
    convert links.txt nowhere/x.graph
mkdir deep
refused 2 "millrace: deep: is a directory; name a file to write to" pagerank links.txt -o deep
refused 2 "millrace: links.txt: is no directory; name another for -o" crawl-rank scores.tsv -o links.txt
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    for option in "-o" "--log" "--names" "--checkpoint"; do
        refused 1 "millrace: $PWD/locked: cannot write there: Permission denied" \
            pagerank web.mill $option locked/x
    done
fi

prepare "opic --state: before the sweeps"
refused 3 "millrace: scores.tsv: is no opic state; check the name, nothing was changed" \
    opic links.txt --state scores.tsv

prepare "files that belong together appear together or not at all"
full="millrace: /dev/full: cannot write"
for command in "pagerank web.mill" "hits web.mill" "ppr web.mill --seed 1" "opic web.mill"; do
    run $command -o new.tsv --names /dev/full --quiet
    exits 5
    has "$root/stderr" "$full"
    only_left links.txt scores.tsv web.mill
done
run ppr web.mill --seed 1 -o new.npy --names /dev/full --quiet
exits 5
run export web.mill -o new.graph --names /dev/full --quiet
exits 5
only_left links.txt scores.tsv web.mill
# Standard output counts, too: a state that went on without the list that it made would be lost for the crawl.
for option in --json --top=3; do
    command_line="opic web.mill -o new.tsv --state new.opic $option >/dev/full"
    "$MILLRACE" opic web.mill -o new.tsv --state new.opic $option --quiet >/dev/full 2>"$root/stderr"
    code=$?
    [ $code = 1 ] || [ $code = 5 ] || fail "exit code $code"
    has "$root/stderr" "millrace: standard output: cannot write"
    only_left links.txt scores.tsv web.mill
done
# But that its reader has gone is no reason against the files.
command_line="opic web.mill -o new.tsv --state new.opic --top 3 | :"
{
    sleep 0.3
    "$MILLRACE" opic web.mill -o new.tsv --state new.opic --top 3 --quiet
} 2>"$root/stderr" | :
only_left links.txt scores.tsv web.mill new.tsv new.tsv.meta.json new.opic
rm new.*
run pagerank web.mill -o new.tsv --names names.txt --quiet
exits 0
cp new.tsv old.tsv
run pagerank web.mill --damping 0.5 -o new.tsv --names /dev/full --quiet --force
exits 5
cmp new.tsv old.tsv || fail "replaced without its names"
only_left links.txt scores.tsv web.mill new.tsv new.tsv.meta.json names.txt old.tsv

prepare "what cannot be printed to standard output leaves every output as it was"
printf 'http://a.org/\thttp://b.org/\n' >urls.txt
printf '5 1\n' >more.txt
"$MILLRACE" build urls.txt -o urls.mill --columns source-target --quiet
files=$(ls)
was=$(cat web.mill/MANIFEST urls.mill/MANIFEST scores.tsv | cksum)
while read -r command; do
    for to in /dev/full -; do
        command_line="$command >$to"
        if [ $to = - ]; then # closed
            # shellcheck disable=SC2086
            "$MILLRACE" $command --quiet --force >&- 2>"$root/stderr"
        else
            # shellcheck disable=SC2086
            "$MILLRACE" $command --quiet --force >$to 2>"$root/stderr"
        fi
        code=$?
        [ $code = 1 ] || [ $code = 5 ] || fail "exit code $code"
        has "$root/stderr" "millrace: standard output: cannot write"
        [ "$(ls)" = "$files" ] || fail "left: $(ls)"
        [ "$(cat web.mill/MANIFEST urls.mill/MANIFEST scores.tsv | cksum)" = "$was" ] || fail "an output was replaced"
    done
done <<'END'
build links.txt -o new.mill --json
build urls.txt -o web.mill --columns source-target --json
transpose web.mill -o urls.mill --json
fold urls.mill -o web.mill --members new.txt --json
generate kron --scale 4 -o web.mill --json
generate kron --scale 4 -o new.txt --json
pagerank web.mill -o scores.tsv --top 2
pagerank urls.mill -o scores.tsv --fetched links --next 1
pagerank web.mill -o scores.tsv --json
components web.mill -o scores.tsv --sizes new.txt
harmonic web.mill -o scores.tsv --json
precedence scores.tsv -o new.txt --json
END
command_line="append web.mill more.txt --json >/dev/full"
"$MILLRACE" append web.mill more.txt --json --quiet >/dev/full 2>"$root/stderr"
[ $? = 5 ] || fail "exit code"
[ "$(cat web.mill/MANIFEST urls.mill/MANIFEST scores.tsv | cksum)" = "$was" ] || fail "the store was replaced"
command_line="crawl-rank urls.txt -o out >/dev/full"
"$MILLRACE" crawl-rank urls.txt --columns source-target -o out >/dev/full 2>"$root/stderr"
[ $? = 5 ] || fail "exit code"
missing out/_SUCCESS
missing out/ranks.tsv
run crawl-rank urls.txt --columns source-target -o out --quiet
exits 0
rm -r out

prepare "--estimate writes nothing, and refuses nothing of this"
run pagerank web.mill -o links.txt --estimate
exits 0
stderr_is </dev/null

prepare "the second of two outputs fails: neither is there"
awk 'BEGIN { for (i = 0; i < 90; i++) print "http://h" i % 7 ".example/" i, "http://h" i % 5 ".example/" i * 7 % 90 }' >urls.txt
"$MILLRACE" build urls.txt -o names.mill --columns source-target --quiet
for command in "components names.mill -o /dev/full --sizes out.sizes" "components names.mill -o out.tsv --sizes /dev/full" \
    "fold names.mill -o out.mill --members /dev/full" "generate hosts --hosts 2000 --names /dev/full -o out.txt"; do
    # shellcheck disable=SC2086
    run $command --quiet
    exits 5
    for left in out*; do
        [ ! -e "$left" ] || fail "$left is left"
        rm -rf "$left"
    done
done

finish
