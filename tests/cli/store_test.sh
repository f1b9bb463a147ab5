#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace info, check, export, generate: about stores, good and bad ones.
. "$(dirname "$0")/lib.sh"

begin "info as text"
printf '1 2\n2 1\n2 2\n2 3\n' >links.txt
run build -o graph.mill links.txt --undirected --duplicates keep --quiet
exits 0
run info graph.mill
exits 0
stderr_is </dev/null
grep -vE '^(bytes|links bytes|bits|degrees|names bytes|index|store id|graph id|bands|stripes|segments|keys|corners)' \
    "$root/stdout" >text
file_is text <<'END'
pages           3
links           7
dangling        0
self-loops      1
max out-degree  4
max in-degree   4
tiles           1
blocks          1
codec           plain
names           numbers
built with      --undirected --duplicates keep 
next            millrace pagerank graph.mill -o ranks.tsv
                millrace append graph.mill MORE-LINKS
END

begin "info ends with commands that may follow; they work"
next_is() { # LINE...
    run info "${store:-web.mill}"
    exits 0
    sed -n '/^next/,$s/^.\{16\}//p' "$root/stdout" >next
    printf '%s\n' "$@" | same next next
}
fetch="millrace pagerank web.mill --fetched links --next 1000 > next.tsv"
append="millrace append web.mill MORE-LINKS"
printf 'http://a.org/ http://b.org/\nhttp://b.org/ http://c.org/\n' >links.txt
run build links.txt -o web.mill --quiet
next_is "millrace pagerank web.mill -o ranks.tsv" "$fetch" "$append"
printf 'http://c.org/ http://a.org/\n' >MORE-LINKS
millrace() { "$MILLRACE" "$@" --quiet || fail "exit code $? of $*"; }
eval "$(cat next)"
file_is next.tsv <<<"$(printf 'http://c.org/\t%s' "$(sed -n 's/.*c.org.\t//p' next.tsv)")"
next_is "millrace pagerank web.mill --start ranks.tsv -o new-ranks.tsv" "$append" # no page without links is left
eval "$(head -n 1 next)"
store=./web.mill// next_is "millrace report ./web.mill ./new-ranks.tsv -o report.html" "${append/web/./web}"
eval "$(head -n 1 next)"
[ -s report.html ] || fail "no report"
echo '{"graph_id": 5, "store": [], "algorithm": "pagerank"}' >odd.tsv.meta.json
echo no >worse.meta.json
mkdir folder.tsv
sed 's/new-ranks/folder/' new-ranks.tsv.meta.json >folder.tsv.meta.json
next_is "millrace report web.mill new-ranks.tsv -o report.html" "$append"
cp -r web.mill "a 'b.mill"
store="a 'b.mill"
next_is "millrace report 'a '\\''b.mill' new-ranks.tsv -o report.html" "millrace append 'a '\\''b.mill' MORE-LINKS"
eval "$(tail -n 1 next)"
unset -f millrace
unset store
rm -r "a 'b.mill"

begin "info --json has every figure"
printf '1 2\n2 1\n2 2\n2 3\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
run info graph.mill
lacks "$root/stdout" "built with"
run info graph.mill --json
exits 0
stderr_is </dev/null
for key in format_version vertices edges dangling self_loops max_out_degree max_in_degree bytes \
    links_bytes bits_per_link degrees_bytes names_bytes index_bytes bands tiles blocks segments \
    band_bits stripe_bits name_key; do
    field "$root/stdout" $key | grep -qE '^[0-9.]+$' || fail "no number $key"
done
field_is "$root/stdout" store '"graph.mill"'
field_is "$root/stdout" vertices 3
field_is "$root/stdout" edges 4
field_is "$root/stdout" dangling 1
field_is "$root/stdout" self_loops 1
field_is "$root/stdout" max_out_degree 3
field_is "$root/stdout" max_in_degree 2
field_is "$root/stdout" codec '"plain"'
field_is "$root/stdout" undirected false
field "$root/stdout" store_id | grep -qE '^"[0-9a-f]{16}"$' || fail "no store_id"
field "$root/stdout" graph_id | grep -qE '^"[0-9a-f]{16}"$' || fail "no graph_id"
has "$root/stdout" '"keys": {'
[ "$(field "$root/stdout" bytes)" = "$(cat graph.mill/* | wc -c)" ] || fail "bytes are not those of the files"

begin "bench measures passes and rankings"
awk 'BEGIN { for (i = 0; i < 20000; i++) print i % 1000, (i * 7919) % 1000 }' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
run bench graph.mill --rounds 1 --json
exits 0
stderr_is </dev/null
for key in edges links_bytes threads cold_pass_seconds pinned_pass_seconds pagerank_seconds pagerank_passes; do
    field "$root/stdout" $key | grep -qE '^[0-9.e+-]+$' || fail "no number $key"
    [ "$(field "$root/stdout" $key)" != 0.0 ] || fail "$key is 0"
done
field_is "$root/stdout" edges "$(field graph.json edges 2>/dev/null || "$MILLRACE" info graph.mill --json | sed -n 's/.*"edges": \([0-9]*\),$/\1/p' | head -1)"
run bench graph.mill --rounds 1
exits 0
has "$root/stdout" 'pass from memory'
grep -qE '^pagerank: [0-9.e-]+ s, [1-9][0-9]* passes$' "$root/stdout" || fail "$(cat "$root/stdout")"
printf '' >none.txt
run build -o none.mill none.txt --vertices 5 --quiet
exits 0
run bench none.mill
exits 2
stderr_is <<'END'
millrace: none.mill: has no links to measure with
END

begin "what is no store"
mkdir empty
printf 'x' >file
for command in info check export; do
    run $command empty
    exits 3
    stdout_is </dev/null
    stderr_is <<'END'
millrace: empty: is not a store; make one with: millrace build -o NAME.mill INPUT
END
    run $command file
    exits 3
    stderr_is <<'END'
millrace: file: is not a store; make one with: millrace build -o NAME.mill INPUT
END
done
run info nowhere
exits 3
stderr_is <<'END'
millrace: nowhere: no such store; check the name
END
run pagerank empty
exits 3
stderr_is <<'END'
millrace: empty: is no store, and a directory without files to read; those whose names begin with _ or . are left out
END

begin "check of a good store"
seq 1 5000 | awk '{ print $1, ($1 * 7919) % 5003 }' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
run check graph.mill
exits 0
stderr_is </dev/null
normalise <"$root/stdout" | sed -E 's/[0-9]+ blocks/N blocks/' >text
file_is text <<'END'
graph.mill: good; N blocks, SIZE
END
run check graph.mill --full
exits 0
has "$root/stdout" "graph.mill: good in full; "
run check graph.mill --quiet --full
exits 0
nothing_printed
run check --json graph.mill --full
exits 0
field_is "$root/stdout" good true
field_is "$root/stdout" full true
field_is "$root/stdout" edges 5000

begin "check, and every other command, of damaged stores"
seq 1 5000 | awk '{ print $1, ($1 * 7919) % 5003 }' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
for file in graph.mill/*; do
    name=$(basename "$file")
    bytes=$(stat -c %s "$file")
    for offset in 0 $((bytes / 2)) $((bytes - 1)); do
        rm -rf damaged.mill
        cp -r graph.mill damaged.mill
        byte=$(od -An -t u1 -j "$offset" -N 1 "$file")
        printf '%b' "\\x$(printf %x $((byte ^ 64)))" |
            dd of="damaged.mill/$name" bs=1 seek="$offset" conv=notrunc status=none
        run check damaged.mill
        case $code in
        3 | 4) ;;
        *) fail "exit code $code with byte $offset of $name changed" ;;
        esac
        stdout_is </dev/null
    done
    rm -rf damaged.mill
    cp -r graph.mill damaged.mill
    truncate -s $((bytes - 1)) "damaged.mill/$name"
    run check damaged.mill
    case $code in
    3 | 4) ;;
    *) fail "exit code $code with $name cut short" ;;
    esac
    rm "damaged.mill/$name"
    run info damaged.mill
    case $code in
    3 | 4) ;;
    *) fail "exit code $code without $name" ;;
    esac
done

begin "export"
printf '1 2\n2 1\n2 3\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
run export graph.mill --to u32 -o pairs.u32
exits 0
stderr_is <<'END'
millrace: note: the output has new numbers for the pages, in the order of their numbers; --names FILE writes these
END
od -An -v -t u4 -w8 pairs.u32 | awk '{ print $1, $2 }' | sort >pairs
file_is pairs <<'END'
0 1
1 0
1 2
END
run export graph.mill
exits 0
cmp "$root/stdout" pairs.u32 || fail "standard output differs"
run export graph.mill -o -
exits 0
cmp "$root/stdout" pairs.u32 || fail "-o - differs"
run export -o pairs.u32 graph.mill
exits 2
stderr_is <<'END'
millrace: pairs.u32: exists; use --force to replace it
END
run export -o pairs.u32 graph.mill --force
exits 0
run export -o pairs.u32.gz graph.mill
exits 0
gzip -dc pairs.u32.gz | cmp - pairs.u32 || fail "gzip differs"
run export graph.mill --json
exits 2
stderr_is <<'END'
millrace: export has no --json, because it has no figures to print; see 'millrace info'
END

begin "generate"
run generate kron --scale 8 --edge-factor 4 --random-seed 7 -o a.mill
exits 0
stdout_is </dev/null
has "$root/stderr" "millrace: 256 pages, "
has "$root/stderr" "millrace: a.mill: "
run generate rmat --random-seed 7 -o b.mill --edge-factor 4 --scale 8 --quiet --threads 3
exits 0
nothing_printed
diff -r a.mill b.mill || fail "the same seed gives another graph"
run generate kron --scale 8 --edge-factor 4 --random-seed 8 -o c.mill --quiet --json
exits 0
field_is "$root/stdout" vertices 256
field_is "$root/stdout" input_edges 1024
! cmp -s a.mill/links* c.mill/links* || fail "another seed gives the same graph"
run check a.mill --full --quiet
exits 0
run generate kron --scale 8 --edge-factor 4 --random-seed 7 -o u.mill --undirected --self-loops drop \
    --codec zstd:3 --quiet
exits 0
run info u.mill --json
field_is "$root/stdout" undirected true
field_is "$root/stdout" self_loops 0
field_is "$root/stdout" codec '"zstd:3"'
run generate kron --scale 30 --edge-factor 16 -o big.mill --estimate --json --undirected \
    --memory 1G
exits 0
field_is "$root/stdout" temporary_bytes 274877906944
missing big.mill

begin "generate a crawl: store, text and numbers hold the same graph"
run generate crawl --pages 3000 --random-seed 5 -o a.mill
exits 0
stdout_is </dev/null
has "$root/stderr" "millrace: 3,000 pages, "
run generate crawl --pages 3000 --random-seed 5 -o a.txt --threads 1
exits 0
stdout_is </dev/null
has "$root/stderr" "millrace: a.txt: "
run build -o b.mill a.txt --vertices 3000 --quiet
exits 0
diff -r a.mill b.mill || fail "the text is another graph than the store"
run generate crawl --pages 3000 --random-seed 5 -o a.txt.zst --threads 3 --quiet
exits 0
zstd -dcq a.txt.zst | cmp - a.txt || fail "a.txt.zst is another graph"
run generate crawl --pages 3000 --random-seed 5 -o a.u32.gz --quiet --json
exits 0
field_is "$root/stdout" file '"a.u32.gz"'
field_is "$root/stdout" edges "$(wc -l <a.txt)"
gzip -dc a.u32.gz | od -An -v -t u4 -w8 | awk '{ print $1 "\t" $2 }' | cmp - a.txt ||
    fail "a.u32.gz is another graph"
run generate crawl --pages 3000 --random-seed 5 -o -
has "$root/stderr" "millrace: standard output: "
exits 0
cmp "$root/stdout" a.txt || fail "standard output is another graph"
run generate crawl --pages 3000 --random-seed 5 -o a.txt
exits 2
stderr_is <<'END'
millrace: a.txt: exists; use --force to replace it
END

begin "generate a crawl by URL: their order is that of the pages"
run generate crawl --pages 40000 --random-seed 5 -o a.mill --quiet
exits 0
run generate crawl --pages 40000 --random-seed 5 -o urls.txt.zst --urls --quiet
exits 0
run build -o b.mill urls.txt.zst --quiet
exits 0
run generate crawl --pages 40000 --random-seed 5 -o c.mill --urls --quiet
exits 0
diff -r b.mill c.mill || fail "the store is not what its text makes"
for name in a b; do
    run export $name.mill -o $name.u32
    exits 0
done
cmp a.u32 b.u32 || fail "URLs change the numbers"

begin "generate a social network"
run generate livejournal-like --random-seed 1 -o lj.mill --estimate --json --memory 200M
exits 0
field_is "$root/stdout" temporary_bytes $((68993773 * 8))
missing lj.mill

begin "generate what makes no sense"
run generate crawl -o a.mill
exits 2
stderr_is <<'END'
millrace: generate: how many pages? Say --pages N
END
run generate kron --scale 4 -o a.txt --urls
exits 2
stderr_is <<'END'
millrace: generate: --urls is only for crawl and hosts; leave it out
END
run generate crawl --pages 10 --urls -o a.u32
exits 2
stderr_is <<'END'
millrace: generate: .u32 cannot have --urls, because it has numbers only; say -o FILE.txt
END
run generate kron --scale 4 -o a.txt.gz --undirected
exits 2
stderr_is <<'END'
millrace: generate: --undirected, --duplicates, --self-loops, --codec and --encoding are for stores, but a.txt.gz is a file of links; leave them out
END
while read -r kind option value words; do
    run generate $kind --$option ${value#-} -o a.mill
    exits 2
    missing a.mill
    stderr_is <<END
millrace: generate: --$option is only for $words; leave it out
END
done <<'END'
crawl scale 14 kron
crawl edge-factor 4 kron and hosts
livejournal-like scale 14 kron
livejournal-like pages 100 crawl
kron pages 100 crawl
rmat hosts 1000 hosts
hosts scale 4 kron
hosts frontier 0.2 crawl
kron links-per-page 40 crawl
kron names a.names hosts
livejournal-like urls - crawl and hosts
END
run generate crawl --pages 10 --links-per-page 90 -o a.mill
exits 2
stderr_is <<'END'
millrace: --links-per-page 90: must be from 10 to 80
END
missing a.mill
run generate crowl --pages 10 -o a.mill
exits 2
missing a.mill
missing a.u32
missing a.txt.gz

# The order inside is another: a reverse keeps that of its store.
same_links() { # STORE STORE
    "$MILLRACE" export "$1.mill" --to edges --quiet -o a.txt --force
    "$MILLRACE" export "$2.mill" --to edges --quiet -o b.txt --force
    cmp a.txt b.txt || fail "$1 and $2 have other links"
}

begin "transpose"
printf '5 900\n900 5\n900 70\n70 70\n5 1000\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
run build -o expected.mill links.txt --transpose --quiet
exits 0
run transpose graph.mill -o reversed.mill
exits 0
stdout_is </dev/null
stderr_is <<'END'
millrace: 4 pages, 0 of them dangling; 5 links; 0 duplicates merged, 1 self-loop
millrace: reversed.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END
same_links expected reversed
run transpose --quiet --json -o again.mill reversed.mill --threads 1 --memory 64M
exits 0
field_is "$root/stdout" edges 5
stderr_is </dev/null
same_links graph again
run transpose graph.mill -o small.mill --codec zstd:3 --quiet
exits 0
run info small.mill --json
field_is "$root/stdout" codec '"zstd:3"'
field_is "$root/stdout" transposed true
run pagerank reversed.mill --top 1 --quiet
exits 0
has "$root/stdout" "5	"
run transpose graph.mill -o reversed.mill
exits 2
stderr_is <<'END'
millrace: reversed.mill: exists; use --force to replace it
END
run transpose graph.mill
exits 2
stderr_is <<'END'
millrace: transpose: needs an output; say -o STORE, such as -o reversed.mill
END
run transpose links.txt -o other.mill
exits 3
run transpose graph.mill -o other.mill --estimate --json
exits 0
field_is "$root/stdout" temporary_bytes 0
missing other.mill

finish
