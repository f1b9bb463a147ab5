#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build --names: names for the vertices of numbered graphs, in all three forms.
. "$(dirname "$0")/lib.sh"

printf '# a comment\n0 1\n1\t2\n2,0\n0 2\n' >"$root/links.el"
printf 'http://a.org/x\nhttp://a.org/y\nhttp://b.org/\n' >"$root/x.urls"

# links_are NAME LINE...: what the page links to.
links_are() {
    local page=$1
    shift
    run show web.mill "$page" --links-out --quiet
    exits 0
    printf '%s\n' "$@" | cmp -s - "$root/stdout" || fail "$page: $(cat "$root/stdout")"
}

begin "a name per line, also compressed; the store has hosts, classes and find"
run build -o web.mill "$root/links.el" --names "$root/x.urls" --classes host --quiet
exits 0
links_are http://a.org/x http://a.org/y http://b.org/
links_are http://b.org/ http://a.org/x
run find web.mill 'y$' --quiet
stdout_is <<<"http://a.org/y"
run pagerank web.mill --links internal --quiet
exits 0
gzip -c "$root/x.urls" >x.urls.gz
run build -o web.mill "$root/links.el" --names x.urls.gz --columns target-source --force --quiet
exits 0
links_are http://b.org/ http://a.org/x http://a.org/y

begin "the same store as from lines of names"
awk 'NR == FNR { n[FNR - 1] = $1; next } /^#/ { next } { gsub(",", " "); $0 = $0; print n[$1], n[$2] }' "$root/x.urls" "$root/links.el" >links.txt
run build -o named.mill "$root/links.el" --names "$root/x.urls" --quiet
run build -o text.mill links.txt --quiet
diff -r --exclude manifest named.mill text.mill >/dev/null || fail "the stores differ"

begin "id and name, name and id, sparse ids"
printf '5 7\n7 9\n' >links.el
printf '9\tnet.c\t3\n5\torg.a\t1\n7\torg.a.www\t1\n' >ids.txt
run build -o web.mill links.el --names ids.txt --quiet
exits 0
links_are org.a org.a.www
printf 'www.a.org 7\nc.net 9\na.org 5\n' | run build -o web.mill links.el --names - --force --quiet
exits 0
links_are a.org www.a.org

begin "a generated graph without links is an empty file"
run generate kron --scale 4 --edge-factor 0 -o empty.txt --quiet
exits 0
file_is empty.txt </dev/null
only_left empty.txt

begin "a BVGraph, whose names must be as many as its vertices"
run generate kron --scale 6 --edge-factor 4 -o kron.mill --quiet
exits 0
run export kron.mill --to bvgraph -o kron.graph --quiet
exits 0
seq 0 63 | sed 's#^#http://h.org/#' >kron.urls
run build -o web.mill kron.graph --names kron.urls --quiet
exits 0
run export web.mill --to edges -o web.el --names web.names --quiet
run export kron.mill --to edges -o kron.el --quiet
awk 'NR == FNR { sub(".*/", ""); n[FNR - 1] = $1; next } /^#/ { next } { print n[$1], n[$2] }' web.names web.el | sort >web.links
awk '!/^#/ { print $1, $2 }' kron.el | sort | cmp -s - web.links || fail "other links"
head -n 63 kron.urls >few.urls
run build -o bad.mill kron.graph --names few.urls
exits 3
stderr_is <<<"millrace: few.urls: has 63 names up to id 63, and the graph has 64 pages; it is of another graph"
missing bad.mill

begin "refused"
printf 'http://a/\nhttp://b/\n' >two.urls
run build -o bad.mill "$root/links.el" --names two.urls
exits 3
has "$root/stderr" "vertex 2 has no name in two.urls"
printf '0 a\n1 b\n0 c\n' >twice
run build -o bad.mill "$root/links.el" --names twice
exits 3
stderr_is <<<'millrace: twice:3: "0 c": the id came before; it can have one name only'
printf '(2,c)\n(0,a)\n(1,b)\n' >tuples
run build -o bad.mill "$root/links.el" --names tuples
exits 3
stderr_is <<<"millrace: tuples: has rows in brackets, as Spark prints them; sed -E 's/^[[(]//; s/[])]$//' FILE | millrace ... --names -"
printf 'a\n\nc\n' >blank
run build -o bad.mill "$root/links.el" --names blank
exits 3
stderr_is <<<'millrace: blank:2: "": no name; every vertex needs one'
echo 'http://a/ http://b/' >text
run build -o bad.mill text --names two.urls
exits 2
has "$root/stderr" "--names is for numbered pages, and those of lines of two names have names; leave it out"
run build -o bad.mill "$root/links.el" --names two.urls --vertices 3
exits 2
missing bad.mill

begin "names of any bytes come back from files, lists and the terminal, each as itself"
printf '%b\n' '\001x\t%01x' '%01x\t\\x01x' '\\x01x\t\\x5cx01x' 'a\302\205b\ta\342\200\256b' \
    'bad\377z\tbad%FFz' 'bad%FFz\tbad\\xffz' 'q"\002,x\t\001x' 'http://a/\033[2J\t\351t\351' 'c\\x\td\\' \
    'd\\\tc\\x' 'bad\\xffz\t\001x' >odd.txt
run build -o odd.mill odd.txt --format urls --quiet
exits 0
run info odd.mill --json
has "$root/stdout" '"vertices": 14,'
for suffix in tsv csv jsonl json; do
    run pagerank odd.mill -o odd.$suffix
    exits 0
    has "$root/stderr" "names had control bytes; written as \\xNN"
    run certify odd.$suffix --graph odd.mill --json
    exits 0
    lacks "$root/stderr" "note:"
    run compare odd.tsv odd.$suffix
    exits 0
    has "$root/stdout" "pages compared   14, 0 of them with different scores"
    has "$root/stdout" "in one only      0 in A, 0 in B"
    run precedence odd.$suffix -o odd.$suffix.txt --quiet
    exits 0
    cmp odd.tsv.txt odd.$suffix.txt || fail "$suffix: levels"
    run pagerank odd.mill --start odd.$suffix --quiet
    exits 0
done
LC_ALL=C grep -q $'[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200\256' odd.tsv odd.csv odd.json odd.jsonl &&
    fail "a control byte: $(cat -v odd.tsv)"
cut -f 1 odd.tsv >odd.list
run ppr odd.mill --seeds odd.list --max-unknown 0 --quiet
exits 0
while IFS= read -r name; do
    run show odd.mill "$name" --scores odd.json
    exits 0
    printf 'name        %s\n' "$name" | cmp -s - <(head -1 "$root/stdout") || fail "$name: $(head -1 "$root/stdout")"
done < <(LC_ALL=C grep -v $'[\200-\377]' odd.list)
run show odd.mill $'nobody\302\233\342\200\256\033'
exits 3
stderr_is <<<"millrace: odd.mill: has no page with the name nobody\\xc2\\x9b\\xe2\\x80\\xae\\x1b; 'millrace find' searches names"

finish
