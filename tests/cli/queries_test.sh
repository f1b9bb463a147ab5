#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Queries: links of a page, names by expression, hosts, one page; against grep, sort and awk.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
cat >"$shared/links.txt" <<'LINKS'
http://WWW.Example.com/a http://example.com/b?
http://example.com/a http://example.com/b
http://www2.example.com/a http://other.org/
http://other.org http://user@example.com/b
http://example.com/b http://example.com/b?&
LINKS
"$MILLRACE" build -o "$shared/heritrix.mill" --columns source-target --profile heritrix --quiet \
    "$shared/links.txt" || fail "build"

begin "links of a page, against the input"
zstd -dcq "$MILLRACE_SOURCE_DIR/examples/debian-docs/links.txt.zst" | tr '\\' / | sed -E 's,/[.]( |$),/\1,g' | awk '!seen[$0]++' >"$shared/docs.txt" # as browsers spell URLs
run build -o "$shared/docs.mill" --columns target-source --quiet "$shared/docs.txt"
exits 0
page=https://www.postgresql.org/docs/15/
for direction in in out; do
    run show "$shared/docs.mill" "$page" "--links-$direction" --top 100000 --quiet
    exits 0
    sort "$root/stdout" >found.txt
    if [ $direction = in ]; then
        awk -v p="$page" '$1 == p { print $2 }' "$shared/docs.txt"
    else
        awk -v p="$page" '$2 == p { print $1 }' "$shared/docs.txt"
    fi | sort -u >wanted.txt
    cmp found.txt wanted.txt || fail "links $direction"
    [ -s wanted.txt ] || fail "no links $direction"
done
run show "$shared/docs.mill" "$page" --links-in --limit 3 --offset 2
exits 0
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "not 3 lines"
stderr_is <<<"millrace: 1,167 links in; 3 to 5 shown, --offset for more"
run show "$shared/docs.mill" "$page" --links-in --limit 0 --json
exits 0
has "$root/stdout" '"links_in": 1167'
run show "$shared/docs.mill" https://nowhere.example/
exits 3
stderr_is <<<"millrace: $shared/docs.mill: has no page with the name https://nowhere.example/; 'millrace find' searches names"
for near in cmake.org https://cmake.org https://cmake.org//; do
    run show "$shared/docs.mill" $near
    exits 3
    stderr_is <<<"millrace: $shared/docs.mill: has no page with the name $near; did you mean https://cmake.org/?"
done

begin "links with scores: the best first, by sort and join; every form has the same rows"
run pagerank "$shared/docs.mill" -o "$shared/ranks.tsv" --quiet
run show "$shared/docs.mill" "$page" --links-in --top 100000 --quiet
tab=$(printf '\t')
awk -F '\t' 'NR == FNR { score[$1] = $2; next } { print $1 "\t" score[$1] }' "$shared/ranks.tsv" "$root/stdout" |
    sort -t "$tab" -k 2,2gr -s >wanted.txt
run show "$shared/docs.mill" "$page" --links-in --scores "$shared/ranks.tsv" --top 100000 --quiet
exits 0
python3 - wanted.txt "$root/stdout" <<'END' || fail "links with scores"
import sys
wanted, found = ([line.rstrip("\n").split("\t") for line in open(name)] for name in sys.argv[1:])
assert [(name, float(score)) for name, score in wanted] == [(name, float(score)) for name, score in found]
assert all(float(score) == float(repr(float(score))) and len(score) <= len(repr(float(score))) for _, score in found)
END
cp "$root/stdout" rows.tsv
for form in csv jsonl json; do
    run show "$shared/docs.mill" "$page" --links-in --scores "$shared/ranks.tsv" --top 100000 --quiet -o rows.$form
    exits 0
done
run show "$shared/docs.mill" "$page" --links-in --scores "$shared/ranks.tsv" --top 100000 --quiet --json
exits 0
python3 - "$root/stdout" <<'END' || fail "the forms differ"
import csv, json, sys
wanted = [(name, float(score)) for name, score in (line.rstrip("\n").split("\t") for line in open("rows.tsv"))]
rows = list(csv.reader(open("rows.csv", newline="")))
assert rows[0] == ["name", "score"] and [(name, float(score)) for name, score in rows[1:]] == wanted
objects = [json.loads(line) for line in open("rows.jsonl")]
assert [tuple(o.values()) for o in objects] == wanted and json.load(open("rows.json")) == objects
page = json.load(open(sys.argv[1]))
assert list(zip(page["in"], page["in_scores"])) == wanted
END
run hosts "$shared/docs.mill" --internal --scores "$shared/ranks.tsv" --header --quiet
cp "$root/stdout" hosts.tsv
run hosts "$shared/docs.mill" --internal --scores "$shared/ranks.tsv" --quiet -o hosts.csv --bom
exits 0
run find "$shared/docs.mill" cmake --vertices --hashes --header --quiet
cp "$root/stdout" find.tsv
run find "$shared/docs.mill" cmake --vertices --hashes --quiet -o find.csv --bom
exits 0
for table in hosts find; do
    python3 - $table <<'END' || fail "$table.csv"
import csv, sys
rows = csv.reader(open(sys.argv[1] + ".csv", newline="", encoding="utf-8-sig"))
assert list(rows) == [line.rstrip("\n").split("\t") for line in open(sys.argv[1] + ".tsv")]
assert open(sys.argv[1] + ".csv", "rb").read(3) == b"\xef\xbb\xbf"
END
done
run hosts "$shared/docs.mill" -o never.npy
exits 2
stderr_is <<<"millrace: never.npy: .npy is not written; name a file of lines with tabs (.tsv), .csv, .parquet, .jsonl or .json; .gz or .zst behind it compresses"

begin "links by any spelling"
run show "$shared/heritrix.mill" http://WWW7.example.com/a --links-out --links-in --quiet
exits 0
stdout_is <<<"out	http://example.com/b
out	http://other.org/"

begin "find: an expression that needs more than --memory is refused, and a signal ends a long match"
printf 'http://a.example/%s http://a.example/b\n' "$(head -c 1500 /dev/zero | tr '\0' a)" >links.txt
run build -o names.mill links.txt --format urls --quiet
# A sanitizer needs memory of its own, and the limit counts it.
if [ -z "${MILLRACE_SANITIZER-}" ]; then
    run find names.mill '(((((a{1,60}){1,60}){1,60}){1,60}){1,60})x' --memory 100M
    exits 5
    has "$root/stderr" "needs more memory than is left; write it with smaller counts, or raise --memory"
fi
"$MILLRACE" find names.mill '(a*)*(a*)*(a*)*\1\2\3x' >/dev/null 2>&1 &
pid=$!
sleep 1
kill -TERM $pid 2>/dev/null
wait $pid
code=$?
case $code in
0 | 5 | 143) ;;
*) fail "exit code $code" ;;
esac

begin "find: extended regular expressions, as grep has them"
tr ' ' '\n' <"$shared/docs.txt" | sort -u >names.txt
for pattern in '^https?://[^/]*python[^/]*/3/' '(genindex|search)\.html$' 'NOSUCHTHING'; do
    run find "$shared/docs.mill" "$pattern"
    exits 0
    sort "$root/stdout" >found.txt
    grep -E "$pattern" names.txt >wanted.txt
    cmp found.txt wanted.txt || fail "$pattern"
done
run find "$shared/docs.mill" GENINDEX --ignore-case --count
exits 0
[ "$(cat "$root/stdout")" = "$(grep -ci genindex names.txt)" ] || fail "count"
run find "$shared/docs.mill" . --limit 7 --vertices
exits 0
[ "$(cut -f 1 "$root/stdout" | tr '\n' ' ')" = "0 1 2 3 4 5 6 " ] || fail "vertices"
run find "$shared/docs.mill" . --limit 3 --hashes
exits 0
"$MILLRACE" export "$shared/docs.mill" --to pages -o pages.txt --quiet
awk 'NR <= 3 { print $1 "\t" $3 }' pages.txt | cmp - "$root/stdout" || fail "other hashes than --to pages"
run find "$shared/heritrix.mill" '^http://www2\.'
exits 0
stdout_is <<<"http://example.com/a"
run find "$shared/docs.mill" '('
exits 2
has "$root/stderr" "is not an extended regular expression"

begin "hosts: pages, links, scores"
run hosts "$shared/docs.mill" --internal --scores "$shared/ranks.tsv" --quiet
exits 0
sort "$root/stdout" >found.txt
sort -u "$shared/docs.txt" | awk '
    function host(u) { if (u !~ /^[a-z+]+:\/\//) return "-"; sub(/^[a-z+]+:\/\//, "", u); sub(/[\/?#].*/, "", u)
        sub(/.*@/, "", u); sub(/:.*/, "", u); return tolower(u) }
    FILENAME != "-" { s[host($1)] += $2; p[host($1)]++; next }
    { t = host($1); f = host($2); out[f]++; in_[t]++; if (t == f) inside[t]++ }
    END { for (h in p) printf "%s\t%d\t%d\t%d\t%d\n", h, p[h], out[h], in_[h], inside[h] }' "$shared/ranks.tsv" - |
    sort >wanted.txt
cut -f 1-5 found.txt | cmp - wanted.txt || fail "hosts"
awk '{ s += $6 } END { exit !(s > 0.999999 && s < 1.000001) }' found.txt || fail "scores do not add up to 1"
run hosts "$shared/docs.mill" --by domain --header
exits 0
has "$root/stdout" "domain	pages	links_out	links_in"
awk '$1 == "debian.org" { n++ } END { exit n != 1 }' "$root/stdout" || fail "debian.org"
head -3 "$shared/ranks.tsv" | tac >wrong.tsv
run hosts "$shared/docs.mill" --scores wrong.tsv
exits 3

begin "hosts: a host whose names follow each other takes no memory"
awk 'BEGIN { for (i = 0; i < 200000; i++) print "http://h" i ".org/ http://h" (i * 7 + 1) % 200000 ".org" (i % 1000 ? "/" : ":81/") }' >many.txt
run build -o many.mill many.txt --quiet
run hosts many.mill --internal --sort name --memory 32Mi --quiet
exits 0
awk '{ n[$1]; n[$2]; out[$1]++; into[$2]++ }
    END { for (p in n) { split(p, a, /[\/:]+/); h = a[2]; pages[h]++; o[h] += out[p]; i[h] += into[p] }
    for (h in pages) print h "\t" pages[h] "\t" o[h] "\t" i[h] "\t" 0 }' many.txt | sort >wanted.txt
sort "$root/stdout" | cmp - wanted.txt || fail "hosts"

begin "hosts: one line, wherever the names of a host are"
# The SURT order has the subdomains between two ports; a graph of hosts has example-x between those of a domain.
printf 'http://a.com/ http://b.a.com/\nhttp://b.a.com/ http://a.com:8080/\nhttp://a.com:8080/ http://a.com/\n' >ports.txt
run build ports.txt --profile surt -o ports.mill --quiet
run hosts ports.mill --internal --quiet
stdout_is <<<"a.com	2	2	2	1
b.a.com	1	1	1	0"
printf 'http://example.com/ http://example-x.com/\nhttp://example-x.com/ http://www.example.com/\n' >minus.txt
run build minus.txt -o minus.mill --quiet
run fold minus.mill -o minus-hosts.mill --quiet
run hosts minus-hosts.mill --by domain --quiet
stdout_is <<<"example.com	2	1	1
example-x.com	1	1	1"

begin "show: scores in any order; options that need others"
tac "$shared/ranks.tsv" >turned.tsv
run show "$shared/docs.mill" "$page" --scores "$shared/ranks.tsv"
cp "$root/stdout" wanted.txt
run show "$shared/docs.mill" "$page" --scores turned.tsv
exits 0
cmp -s wanted.txt "$root/stdout" || fail "scores in another order: $(cat "$root/stdout")"
run show "$shared/docs.mill" "$page" --weights
exits 2
stderr_is <<<"millrace: --weights needs --links-in or --links-out"
run show "$shared/docs.mill" "$page" --links-in --bom -o never.tsv
exits 2
stderr_is <<<"millrace: --bom: -o never.tsv is no .csv, which alone has it"
run links "$shared/docs.mill" "$page"
exits 2
stderr_is <<<"millrace: unknown command links; did you mean show --links-in --links-out? 'millrace help' lists all"

begin "show: one page, its place by score"
run show "$shared/docs.mill" "$page" --scores "$shared/ranks.tsv"
exits 0
has "$root/stdout" "rank        1 of 42,614"
has "$root/stdout" "level       1 of 5"
has "$root/stdout" "in its host 1 of "
has "$root/stdout" "links in    1167"
run precedence "$shared/ranks.tsv" -o levels.txt --levels 7 --quiet
awk 'NR % 4000 == 17' levels.txt >some.txt
while read -r name level; do
    run show "$shared/docs.mill" "$name" --scores "$shared/ranks.tsv" --levels 7 --json
    exits 0
    has "$root/stdout" "\"level\": $level"
    score=$(awk -F '\t' -v n="$name" '$1 == n { print $2 }' "$shared/ranks.tsv")
    rank=$(awk -F '\t' -v s="$score" -v n="$name" '$1 == n { seen = 1 } $2 > s || ($2 == s && !seen) { r++ } END { print r + 1 }' "$shared/ranks.tsv")
    has "$root/stdout" "\"rank\": $rank"
done <some.txt
run show "$shared/heritrix.mill" http://example.com/b
exits 0
stdout_is <<'SHOWN'
name        http://example.com/b
spelling    http://example.com/b
spelling    http://example.com/b?
spelling    http://example.com/b?&
spelling    http://user@example.com/b
vertex      1
host        example.com
links out   1
links in    3
SHOWN

begin "scores of another graph with the same names: a note, in each command that takes both"
printf 'http://a.org/1 http://b.org/1\nhttp://b.org/1 http://a.org/1\nhttp://a.org/1 http://a.org/2\n' >one.txt
printf 'http://a.org/2 http://b.org/1\nhttp://a.org/1 http://a.org/2\n' >two.txt
for name in one two; do
    "$MILLRACE" build $name.txt -o $name.mill --quiet
    "$MILLRACE" pagerank $name.mill -o $name.tsv --quiet
done
cp one.tsv plain.tsv
other="note: one.tsv comes from another graph than %s, or from another build of it: it had 3 pages and 3 links"
none="note: plain.tsv has no plain.tsv.meta.json with a graph_id, so nothing shows that it belongs to %s"
while IFS='|' read -r of words; do
    for scores in one plain two; do
        # shellcheck disable=SC2086 # words of a command
        run ${words//SCORES/$scores.tsv} --force
        [ "$scores" = two ] || [ "$code" = 0 ] || fail "exit code $code"
        # shellcheck disable=SC2059 # the formats are above
        case $scores in
        one) expected=$(printf "$other" "$of") ;;
        plain) expected=$(printf "$none" "$of") ;;
        two) expected= ;;
        esac
        found=$(grep -o 'note: [a-z.]*tsv \(comes\|has no [a-z.]*meta\).*' "$root/stderr")
        [ "$found" = "$expected" ] || fail "said \"$found\" instead of \"$expected\""
    done
done <<'END'
two.mill|hosts two.mill --scores SCORES -o hosts.tsv
two.mill|report two.mill SCORES -o report.html
two.mill|precedence SCORES --spellings two.mill -o levels.txt
two.tsv|precedence --mix 1:two.tsv,1:SCORES -o levels.txt
END
run show two.mill http://a.org/2 --scores one.tsv
exits 0
has "$root/stderr" "$(printf "millrace: $other" two.mill)"

begin "--start: scores with names go on in a graph that grew; those without belong to one graph"
printf 'a b\nb a\na c\n' >one.txt
printf 'c b\na c\n' >two.txt
printf 'c a\nc d\n' >more.txt
for name in one two; do
    "$MILLRACE" build $name.txt -o $name.mill --quiet
done
run pagerank one.mill -o one.npy --quiet
run pagerank one.mill -o one.tsv --quiet
for command in pagerank hits; do
    run $command two.mill --start one.npy -o x.tsv --force
    exits 0
    has "$root/stderr" "note: one.npy comes from another graph than the graph, or from another build of it: it had 3 pages and 3 links"
    run $command two.mill --start one.tsv -o x.tsv --force
    exits 0
    lacks "$root/stderr" "another graph"
done
"$MILLRACE" append one.mill more.txt --quiet
run pagerank one.mill --start one.tsv -o x.tsv --force
exits 0
stderr_is <<'END'
millrace: note: one.tsv: 0 of its names are not pages of the graph, and it lacks 1 page of the graph
millrace: error bound 4.7e-13 (tolerance 1e-09) after 8 passes, T s
END

begin "export --to pages: the fields of Aduana's page database, against a model"
python3 - <<'END'
import json
import random
random.seed(5)
for name, time in ("1.jl", 1700000000), ("2.jl", 1700600000):
    with open(name, "w") as out:
        for page in random.sample(range(40), 25):
            links = [f"http://a.com/{random.randrange(60)}" for _ in range(random.randrange(1, 4))]
            print(json.dumps({"url": f"http://a.com/{page}", "links": links, "timestamp": time + page}), file=out)
print("http://b.com/a%20b", file=open("seeds.txt", "w"))
print(json.dumps({"url": "http://b.com/a%20b", "links": ["http://a.com/1", "http://a.com/2"]}), file=open("3.jl", "w"))
END
for flags in "" "--transpose"; do
    # shellcheck disable=SC2086
    run build -o pages.mill 1.jl 3.jl --force --quiet $flags
    exits 0
    run append pages.mill 2.jl --replace --quiet
    exits 0
    run pagerank pages.mill -o ranks.tsv --force --quiet
    run export pages.mill --to urls -o links.urls --force --quiet
    run export pages.mill --to pages --scores ranks.tsv --seeds seeds.txt -o pages.txt --force --quiet
    exits 0
    python3 - "$flags" <<'END' || fail "$flags: $(head -3 pages.txt)"
import struct
import sys
pages = [line.split("\t") for line in open("ranks.tsv")]
links = [line.split() for line in open("links.urls")]
if sys.argv[1] == "--transpose":
    links = [link[::-1] for link in links]
n, = struct.unpack_from("<Q", open("pages.mill/MANIFEST", "rb").read(), 312)
data = open("pages.mill/facts.1", "rb").read()
facts = {row[0]: row[1:] for row in (struct.unpack_from("<3I3H", data, 64 + 18 * i) for i in range(n))}
depths, ring = {"http://b.com/a%20b": 0}, {"http://b.com/a%20b"}
while ring:
    ring = {target for source, target in links if source in ring} - set(depths)
    depths.update(dict.fromkeys(ring, max(depths.values()) + 1))
lines = [line.split() for line in open("pages.txt")]
assert len(lines) == len(pages) and len({line[0] for line in lines}) == len(pages)
for at, (line, (name, score)) in enumerate(zip(lines, pages)):
    first, last, fetches, _, changes = facts.get(at, (0,) * 5)
    assert len(line[0]) == 16 and line[1:3] == [str(at), name] and float(line[8]) == float(score), line
    assert line[3:8] == [f"{first}.0", f"{last}.0", str(changes), str(fetches), str(depths.get(name, "-"))], line
assert max(depths.values()) > 2 and "-" in {line[7] for line in lines} and {"1", "0"} <= {line[5] for line in lines}
END
    run pagerank pages.mill --times pages.txt --only fetched -o fetched.tsv --force --quiet
    exits 0
    [ "$(wc -l <fetched.tsv)" = "$(awk '$7 > 0' pages.txt | wc -l)" ] || fail "--times reads it"
done
run export pages.mill --to pages --quiet
exits 0
[ "$(cut -d ' ' -f 8,9 "$root/stdout" | sort -u)" = "- 0" ] || fail "no seeds, no scores: $(cat "$root/stdout")"
run export pages.mill --to pages --estimate
exits 0
has "$root/stdout" "temporary disk  0 bytes"
run export pages.mill --to pages --host a.com
exits 2
has "$root/stderr" "--to pages is about all pages; leave out --vertex-list, --host, --largest, --names and --no-weights"
run export pages.mill --to edges --seeds seeds.txt
exits 2
has "$root/stderr" "--scores and --seeds are about the table of --to pages"

begin "why: the shares of a score, from the links and the scores by hand; every form has the same rows"
run why "$shared/docs.mill" "$shared/ranks.tsv" "$page" --header --top 3
exits 0
has "$root/stderr" "millrace: 1,167 pages link to it; 99.9% of its score comes through its own host, 0.0% through the largest other one; each share is at most"
cp "$root/stdout" why.tsv
run why "$shared/docs.mill" "$shared/ranks.tsv" "$page" --json --top 3
exits 0
for form in csv jsonl json; do
    "$MILLRACE" why "$shared/docs.mill" "$shared/ranks.tsv" "$page" --top 3 -o why.$form --quiet || fail "$form"
done
python3 - "$page" "$shared/docs.txt" "$shared/ranks.tsv" "$root/stdout" <<'END' || fail "why"
import collections, csv, json, sys
page, links, scores, printed = sys.argv[1:]
rows = list(csv.DictReader(open("why.tsv"), delimiter="\t"))
numbers = lambda rows: [{key: one if key in ("from", "name") else float(one) for key, one in row.items()} for row in rows]
rows = numbers(rows)
objects = [json.loads(line) for line in open("why.jsonl")]
assert rows == numbers(objects) == numbers(json.load(open("why.json"))) == numbers(csv.DictReader(open("why.csv", newline="")))
found = json.load(open(printed))
assert rows == numbers(found["shares"]) and found["damping"] == 0.85 and found["dangling"] == "teleport"
scores = {name: float(score) for name, score in (line.rstrip("\n").split("\t") for line in open(scores))}
sources = collections.defaultdict(set)
for target, source in (line.split() for line in open(links)):
    sources[source].add(target)
n, bound = len(scores), found["error_bound"]
share = {name: 0.85 * scores[name] / len(targets) for name, targets in sources.items() if page in targets}
of = collections.defaultdict(list)
for row in rows:
    of[row["from"]].append(row)
near = lambda row, wanted: abs(row["share"] - wanted) <= row["bound"] <= bound
assert of["score"][0]["share"] == scores[page] and of["score"][0]["bound"] == bound
assert near(of["teleport"][0], 0.15 / n)
assert near(of["dangling"][0], 0.85 / n * sum(score for name, score in scores.items() if name not in sources))
best = sorted(share.values(), reverse=True)
assert len(of["page"]) == 3 and all(near(row, share[row["name"]]) for row in of["page"])
assert all(near(row, wanted) for row, wanted in zip(of["page"], best))
assert near(of["pages"][0], sum(best[3:])) and of["pages"][0]["pages"] == len(best) - 3
for row in of["page"]:
    assert row["links"] == len(sources[row["name"]]) and row["score"] == scores[row["name"]]
    assert row["alone"] == 0.85 * row["score"]
hosts = collections.Counter()
for name, one in share.items():
    hosts[name.split("/")[2]] += one
assert of["own-host"][0]["name"] == page.split("/")[2]
assert [row["name"] for row in of["host"]] == [h for h, _ in hosts.most_common() if h != page.split("/")[2]][:3]
assert all(near(row, hosts[row["name"]]) for row in of["own-host"] + of["host"])
parts = [sum(row["share"] for kind in kinds for row in of[kind]) for kinds in (
    ("teleport", "dangling", "page", "pages"), ("teleport", "dangling", "own-host", "host", "hosts"))]
assert all(abs(part - scores[page]) <= bound for part in parts), parts
END
run why "$shared/docs.mill" "$shared/ranks.tsv" cmake.org
exits 3
has "$root/stderr" "has no page with the name cmake.org; did you mean https://cmake.org/?"

begin "why: links by weight and of a class, and teleports by file, which are read again"
printf 'source,target,weight\nhttp://a.com/,http://b.com/,3\nhttp://a.com/,http://a.com/1,1\nhttp://b.com/,http://a.com/,1\n' >w.csv
printf 'http://a.com/ http://b.com/\nhttp://a.com/ http://a.com/1\nhttp://b.com/ http://a.com/\n' >c.txt
printf 'one\thttp://a.com/\t1\ntwo\thttp://b.com/\t3\ntwo\thttp://a.com/\t1\n' >batch.txt
printf 'a.com\n' >seeds.txt
run build w.csv -o w.mill --quiet
run build c.txt -o c.mill --classes host --quiet
share_of() { awk -F '\t' -v from="$1" '$1 == from { printf "%.6g\n", $3 }' "$root/stdout"; }
share_is() { [ "$(share_of "$1")" = "$2" ] || fail "$1 has $(share_of "$1") and not $2: $(cat "$root/stdout")"; }
run pagerank w.mill --weights -o r.tsv --quiet
score=$(awk '$1 == "http://a.com/" { print $2 }' r.tsv)
run why w.mill r.tsv http://b.com/
exits 0
share_is page "$(awk -v s="$score" 'BEGIN { printf "%.6g", 0.85 * s * 3 / 4 }')"
run pagerank c.mill --links internal -o r.tsv --force --quiet
run why c.mill r.tsv http://b.com/
exits 0
[ -z "$(share_of page)" ] || fail "an external link counts"
run pagerank c.mill --seeds seeds.txt --scale pages -o r.tsv --force --quiet
run why c.mill r.tsv http://a.com/1
exits 0
share_is teleport "$(awk 'BEGIN { printf "%.6g", 0.15 * 3 / 2 }')"
run ppr c.mill --batch batch.txt -o b.csv --quiet
run why c.mill b.csv http://b.com/
has "$root/stderr" "is called a score: \"one\", \"two\"; --column NAME says which one is"
run why c.mill b.csv http://b.com/ --column 2
share_is teleport "$(awk 'BEGIN { printf "%.6g", 0.15 * 3 / 4 }')"
for column in one 1; do
    run why c.mill b.csv http://b.com/ --column $column
    share_is teleport 0
done
run trustrank c.mill --trusted seeds.txt -o t.tsv --quiet
run why c.mill t.tsv http://a.com/
share_is teleport "$(awk 'BEGIN { printf "%.6g", 0.15 / 2 }')"

begin "why, hosts: names without a scheme are hosts of their own, and of registered domains"
printf 'www.b.com a.org\nw3.b.com a.org\nTitle a.org\n' >hosts.txt
run build -o hosts.mill hosts.txt --format urls --quiet
run pagerank hosts.mill -o hosts.tsv --quiet
run why hosts.mill hosts.tsv a.org --quiet
[ "$(grep host "$root/stdout" | cut -f 1,2,8 | tr '\t\n' '  ')" = "own-host a.org 0 host - 1 host w3.b.com 1 host www.b.com 1 " ] || fail "$(cat "$root/stdout")"
run why hosts.mill hosts.tsv a.org --by domain --quiet
[ "$(grep host "$root/stdout" | cut -f 1,2,8 | tr '\t\n' '  ')" = "own-host a.org 0 host b.com 2 host - 1 " ] || fail "$(cat "$root/stdout")"
run hosts hosts.mill --by domain --quiet
stdout_is <<'END'
b.com	2	2	0
-	1	1	0
a.org	1	0	3
END

begin "why: the store may come second; it is no input"
run why "$shared/ranks.tsv" "$shared/docs.mill" "$page" --quiet
exits 0
cp "$root/stdout" second
run why "$shared/docs.mill" "$shared/ranks.tsv" "$page" --quiet
cmp second "$root/stdout" || fail "another order, other rows"
echo 'a b' >links.txt
run why links.txt "$shared/ranks.tsv" "$page"
exits 3
stderr_is <<'END'
millrace: links.txt: is not a store; make one with: millrace build -o NAME.mill INPUT
END

begin "why: what it refuses, and the way out"
why_refuses() { # CODE FILE MESSAGE
    run why "$shared/docs.mill" "$2" "$page"
    exits "$1"
    has "$root/stderr" "$3"
}
cp "$shared/ranks.tsv" alone.tsv
why_refuses 3 alone.tsv "alone.tsv: has no .meta.json beside it, which says damping, teleport and error bound; why explains scores of pagerank, ppr and trustrank that millrace wrote with -o FILE"
sed 's/"damping": 0.85/"damping": 0.5/' "$shared/ranks.tsv.meta.json" >alone.tsv.meta.json
why_refuses 3 alone.tsv "though they differ by at most"
has "$root/stderr" "rank the store again"
sed 's/"graph_id": "./"graph_id": "x/' "$shared/ranks.tsv.meta.json" >alone.tsv.meta.json
why_refuses 3 alone.tsv "alone.tsv: comes from another graph than this store, or from another build of it; rank the store again with -o FILE"
sed 's/"error_bound": [^,]*/"error_bound": null/' "$shared/ranks.tsv.meta.json" >alone.tsv.meta.json
why_refuses 2 alone.tsv "the scores have no proven error bound"
run salsa "$shared/docs.mill" -o salsa.tsv --quiet
why_refuses 3 salsa.tsv "salsa.tsv: has scores of salsa, which are no sum over links with a proven bound; why explains scores of pagerank, ppr and trustrank"
run pagerank "$shared/docs.mill" --heritrix -o heritrix.tsv --quiet
why_refuses 3 heritrix.tsv "has scores of pagerank --heritrix, which leaves out pages and links; why explains scores of pagerank, ppr and trustrank, without --heritrix"
echo "$page" | "$MILLRACE" pagerank "$shared/docs.mill" --seeds - -o piped.tsv --quiet
why_refuses 3 piped.tsv "the teleport of the scores came from standard input, which is gone; rank with a file of it"
why_refuses 3 nowhere.tsv "nowhere.tsv: does not exist; check the name"

finish
