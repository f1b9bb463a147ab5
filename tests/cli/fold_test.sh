#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fold: the graphs of hosts and domains, against sort and awk; their scores and figures.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
zstd -dcq "$MILLRACE_SOURCE_DIR/examples/debian-docs/links.txt.zst" | tr '\\' / | sed -E 's,/[.]( |$),/\1,g' | awk '!seen[$0]++' >"$shared/docs.txt" # as browsers spell URLs
"$MILLRACE" build -o "$shared/docs.mill" --columns target-source --quiet "$shared/docs.txt" ||
    fail "build"

# The links of a store by name, with their weights: "source target weight".
list_links() {
    "$MILLRACE" export "$1" --quiet --to wel --names names.txt -o links.wel --force || fail "export"
    awk 'NR == FNR { name[n++] = $1; next } { print name[$1], name[$2], $3 }' names.txt links.wel | sort
}

# The links of the input between hosts: "source host, target host, source page", hosts reversed.
awk 'function host(u,   n, part, i, r) {
        if (u !~ /^[a-z+]+:\/\//) return "-"
        sub(/^[a-z+]+:\/\//, "", u); sub(/[\/?#].*/, "", u); sub(/.*@/, "", u); sub(/:.*/, "", u)
        n = split(tolower(u), part, "."); r = part[n]
        for (i = n - 1; i > 0; i--) r = r "." part[i]
        return r }
    { f = host($2); t = host($1); if (!seen[$1]++) pages[t]++; if (!seen[$2]++) pages[f]++
      if (f != "-" && t != "-") print f, t, $2 }
    END { for (h in pages) if (h != "-") printf "%s\t%d\n", h, pages[h] >"members.txt" }' "$shared/docs.txt" \
    >"$shared/between.txt"
sort members.txt >"$shared/members.txt" && rm members.txt

begin "links between hosts are counted"
run fold "$shared/docs.mill" -o hosts.mill --members members.tsv
exits 0
has "$root/stderr" "2,427 pages"
list_links hosts.mill >found.txt
awk '$1 != $2 { n[$1 " " $2]++ } END { for (k in n) print k, n[k] }' "$shared/between.txt" | sort >wanted.txt
cmp found.txt wanted.txt || fail "weights of links"
[ -s wanted.txt ] || fail "no links between hosts"
sort members.tsv | cmp - "$shared/members.txt" || fail "members"
run fold "$shared/docs.mill" -o loops.mill --self-loops keep --quiet
exits 0
list_links loops.mill >found.txt
awk '{ n[$1 " " $2]++ } END { for (k in n) print k, n[k] }' "$shared/between.txt" | sort >wanted.txt
cmp found.txt wanted.txt || fail "with links inside hosts"

begin "linking pages are counted once for each host, in little memory, too"
awk '$1 != $2' "$shared/between.txt" | sort -u | awk '{ n[$1 " " $2]++ } END { for (k in n) print k, n[k] }' |
    sort >wanted.txt
for memory in 32Mi 1G; do
    run fold "$shared/docs.mill" -o pages.mill --weights pages --memory $memory --quiet --force
    exits 0
    list_links pages.mill >found.txt
    cmp found.txt wanted.txt || fail "linking pages with $memory"
done
! ls | grep -q fold || fail "a temporary store is left"

begin "hosts fold to domains by the public suffix list; weights add up"
cat >links.txt <<'END'
http://www.a.co.uk/1 http://b.org/
http://www.a.co.uk/2 http://b.org/
http://shop.a.co.uk/ http://x.b.org/
http://shop.a.co.uk/ http://www.a.co.uk/1
http://c.github.io/ http://d.github.io/
http://b.org/ mailto:x@example.com
http://c.github.io/ http://192.0.2.7/
END
run build -o web.mill links.txt --quiet
exits 0
run fold web.mill -o hosts.mill --members pages.tsv
exits 0
has "$root/stderr" "note: pages without a host: 1; they are left out with 1 link"
run fold hosts.mill -o domains.mill --by domain --members hosts.tsv --quiet
exits 0
run fold hosts.mill -o again.mill --by domain --members hosts.jsonl --quiet
python3 -c 'import json
for row in map(json.loads, open("hosts.jsonl")):
    print(row["name"], row["members"], sep="\t")' | cmp -s - hosts.tsv || fail "$(cat hosts.jsonl)"
list_links domains.mill >found.txt
same links found.txt <<'END'
io.github.c 7.2.0.192 1
io.github.c io.github.d 1
uk.co.a org.b 3
END
file_is hosts.tsv <<'END'
7.2.0.192	1
io.github.c	1
io.github.d	1
org.b	2
uk.co.a	2
END
run fold web.mill -o direct.mill --by domain --quiet
exits 0
list_links direct.mill >direct.txt
cmp found.txt direct.txt || fail "pages to domains"
run fold web.mill -o plain.mill --weights none --quiet
exits 0
run info plain.mill --json
! grep -q weight "$root/stdout" || fail "weights"

begin "a folded store is ranked, listed and written as that of Common Crawl"
run fold "$shared/docs.mill" -o hosts.mill --quiet
exits 0
run pagerank hosts.mill --weights -o ranks.tsv --top 3 --quiet
exits 0
grep -q '^org\.' "$root/stdout" || fail "names"
run precedence ranks.tsv --crawler commoncrawl -o ranks.txt --quiet
exits 0

begin "hosts: the first ones by each figure"
"$MILLRACE" pagerank "$shared/docs.mill" -o "$shared/ranks.tsv" --quiet || fail "pagerank"
run hosts "$shared/docs.mill" --internal --scores "$shared/ranks.tsv" --sort name --quiet
cp "$root/stdout" all.txt
column=2
for key in pages out in internal score; do
    sort -t '	' -k $column,${column}gr -s all.txt | awk 'NR <= 40' >wanted.txt
    run hosts "$shared/docs.mill" --internal --scores "$shared/ranks.tsv" --quiet --sort $key --top 40
    exits 0
    cmp wanted.txt "$root/stdout" || fail "--sort $key"
    column=$((column + 1))
done
run hosts "$shared/docs.mill" --sort in --quiet
exits 0
cut -f 1-4 all.txt | sort -t '	' -k 4,4gr -s | cmp - "$root/stdout" || fail "all, sorted"
run hosts "$shared/docs.mill" --sort score
exits 2
stderr_is <<<"millrace: --sort score needs --scores FILE"

begin "--mix: the scores of hosts and domains applied to pages"
run fold "$shared/docs.mill" -o hosts.mill --quiet
run pagerank hosts.mill --weights -o hostranks.tsv --quiet
run precedence --mix "0.4:$shared/ranks.tsv,0.6@host:hostranks.tsv" --crawler frontera-hbase -o mixed.txt --quiet
exits 0
turn() { # hosts of URLs, reversed, before each line
    awk -F '\t' '{ u = $1; sub(/^[a-z+]+:\/\//, "", u); sub(/[\/?#].*/, "", u); sub(/.*@/, "", u); sub(/:.*/, "", u)
        n = split(tolower(u), part, "."); r = part[n]; for (i = n - 1; i > 0; i--) r = r "." part[i]; print r "\t" $0 }' "$1"
}
grep '://' "$shared/ranks.tsv" >pages.tsv
best=$(cut -f 2 "$shared/ranks.tsv" | sort -gr | awk 'NR == 1') besthost=$(cut -f 2 hostranks.tsv | sort -gr | awk 'NR == 1')
turn pages.tsv | awk -F '\t' -v b="$best" -v bh="$besthost" 'NR == FNR { h[$1] = $2; next }
    { s = 0.4 * $3 / b + 0.6 * h[$1] / bh; printf "%s\t%.12g\n", $2, s; if (s > most) most = s } END { printf "%.12g\n", most >"most" }' hostranks.tsv - >wanted.tsv
awk -F '\t' 'FILENAME == "most" { m = $1; next } FILENAME == "wanted.tsv" { w[$1] = $2 / m; next }
    $1 in w { n++; d = w[$1] - $2; if (d < -1e-6 || d > 1e-6) bad++ } END { exit !(n > 42000 && !bad) }' most wanted.tsv mixed.txt ||
    fail "mixed scores"
awk -F '\t' '{ n = split($1, p, "."); r = p[n]; for (i = n - 1; i > 0; i--) r = r "." p[i]; print r "\t" $2 }' hostranks.tsv >forward.tsv
run precedence --mix "0.4:$shared/ranks.tsv,0.6@host:forward.tsv" --crawler frontera-hbase -o forward.txt --quiet
exits 0
cmp mixed.txt forward.txt || fail "forward names"
run precedence --mix "1:$shared/ranks.tsv,1@domain:$shared/ranks.tsv" -o x.txt
exits 3
has "$root/stderr" "has no host of these pages"
run precedence --mix "1@host:$shared/ranks.tsv" -o x.txt
exits 2
run precedence --mix "1:a,1@page:b" -o x.txt
exits 2
has "$root/stderr" "must end with @host or @domain"

begin "refusals"
printf '1 2\n2 3\n' >numbers.txt
run build -o numbers.mill numbers.txt --quiet
exits 0
run fold numbers.mill -o hosts.mill
exits 3
stderr_is <<<"millrace: numbers.mill: its pages are called by numbers, which have no hosts; build the store from URLs"
[ ! -e hosts.mill ] || fail "a store was left"
run fold numbers.mill
exits 2
stderr_is <<<"millrace: fold: needs an output; say -o STORE, such as -o hosts.mill"
run fold numbers.mill -o numbers.mill
exits 2

finish
