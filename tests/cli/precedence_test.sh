#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace precedence: scores to lines "URI level".
. "$(dirname "$0")/lib.sh"

ten() {
    for i in 1 2 3 4 5 6 7 8 9 10; do
        printf 'http://h/%d\t0.%02d\n' $i $i
    done >scores.tsv
}

begin "quintiles"
ten
run precedence scores.tsv -o precedence.txt
exits 0
stdout_is </dev/null
stderr_is <<'END'
millrace: 10 pages on 5 levels, 2 of them on level 1
END
file_is precedence.txt <<'END'
http://h/1 5
http://h/2 5
http://h/3 4
http://h/4 4
http://h/5 3
http://h/6 3
http://h/7 2
http://h/8 2
http://h/9 1
http://h/10 1
END

begin "one page is in the singular"
printf 'http://h/1\t1\n' >scores.tsv
run precedence scores.tsv -o precedence.txt --levels 1
exits 0
stderr_is <<<"millrace: 1 page on 1 level, 1 of them on level 1"

begin "--levels, --percentages, to standard output"
ten
run precedence --levels 2 scores.tsv --quiet
exits 0
cut -d ' ' -f 2 "$root/stdout" | tr -d '\n' >levels
printf '2222211111' | cmp -s - levels || fail "levels $(cat levels)"
run precedence scores.tsv --percentages 10,20,70 --quiet -o -
exits 0
cut -d ' ' -f 2 "$root/stdout" | tr -d '\n' >levels
printf '3333333221' | cmp -s - levels || fail "levels $(cat levels)"

begin "equal scores go by their place in the file"
printf 'a\t1\nb\t1\nc\t1\nd\t1\n' >scores.tsv
run precedence scores.tsv --levels 2 --quiet
exits 0
stdout_is <<'END'
a 1
b 1
c 2
d 2
END

begin "--json"
ten
run precedence scores.tsv -o precedence.txt --json --quiet --percentages 10,20,70
exits 0
stdout_is <<'END'
{
  "pages": 10,
  "levels": [
    1,
    2,
    7
  ],
  "lines": 10,
  "unchanged": 0,
  "escaped": 0
}
END

begin "--column by number and by name; the last by default"
printf '#name\thub\tauthority\na\t1\t2\nb\t2\t1\n' >scores.tsv
run precedence scores.tsv --levels 2 --quiet
exits 0
stdout_is <<<"$(printf 'a 1\nb 2')"
run precedence scores.tsv --levels 2 --quiet --column hub
exits 0
stdout_is <<<"$(printf 'a 2\nb 1')"
run precedence scores.tsv --levels 2 --quiet --column 2
exits 0
stdout_is <<<"$(printf 'a 1\nb 2')"
run precedence scores.tsv --column pagerank
exits 3
has "$root/stderr" 'millrace: scores.tsv:1: no column "pagerank"'
run precedence scores.tsv --column 3
exits 3
has "$root/stderr" "millrace: scores.tsv:1: no score column 3"

begin "from pagerank, compressed, and through a pipe"
printf 'http://a/ http://b/\nhttp://c/ http://b/\n' >links.txt
run pagerank links.txt -o scores.tsv.gz --header --quiet
exits 0
run precedence scores.tsv.gz --levels 3 --quiet
exits 0
stdout_is <<'END'
http://a/ 2
http://b/ 1
http://c/ 3
END
gzip -dc scores.tsv.gz | run precedence - --levels 3 -o precedence.txt.gz --quiet
exits 0
gzip -dc precedence.txt.gz >precedence.txt
file_is precedence.txt <<'END'
http://a/ 2
http://b/ 1
http://c/ 3
END

begin "lines that are no scores"
printf 'a\t1\nb\n' >scores.tsv
run precedence scores.tsv -o precedence.txt
exits 3
has "$root/stderr" "millrace: scores.tsv:2: "
missing precedence.txt
printf 'a\t1\nb\tnan\n' >scores.tsv
run precedence scores.tsv -o precedence.txt
exits 3
has "$root/stderr" "millrace: scores.tsv:2: "
missing precedence.txt
run precedence nowhere.tsv -o precedence.txt
exits 3
stderr_is <<'END'
millrace: nowhere.tsv: does not exist; check the name
END

begin "a list of links is refused"
printf '# FromNodeId\tToNodeId\n0\t4\n0\t5\n1\t0\n' >edges.txt
run precedence edges.txt -o precedence.txt
exits 3
stderr_is <<'END'
millrace: edges.txt:3: "0" has a score already; a file may name a page once, a list of links is no file of scores
END
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%d\t%d\n", i * 7919 % 1000, i % 31 }' >edges.txt
run precedence edges.txt -o precedence.txt
exits 3
has "$root/stderr" "a list of links is no file of scores"
missing precedence.txt

begin "tables that are read twice: CSV, JSON, UTF-16, from a pipe"
printf 'x,0.5\ny,0.25\n' >a.csv
printf 'page;rank\nx;0,5\ny;0,25\n' >b.csv
printf '[{"name": "x", "score": 0.5}, {"name": "y", "score": 0.25}]' >c.json
iconv -f utf-8 -t utf-16 a.csv >d.csv
tr '\n' '\r' <a.csv >e.csv
gzip -k a.csv
for file in a.csv b.csv c.json d.csv e.csv a.csv.gz; do
    for from in $file -; do
        run precedence $from --levels 2 --quiet <$file
        exits 0
        stdout_is <<<$'x 1\ny 2'
    done
done

begin "names that the crawler spells in another way, or refuses, are a note with their number"
printf '%s\t0.5\n' http://a.org/ 'http://a.org/x[1]' http://b.org./ http://b.org/%7Eu 'http://b.org/q?a|b' mailto:c@a.org >odd.tsv
# CRAWLER: how many, and the first one
while read -r crawler name n first; do
    run precedence odd.tsv --crawler "$crawler" -o odd.txt --force
    exits 0
    has "$root/stderr" "millrace: note: $name spells $n of these names in another way, or refuses them, such as \"$first\"; their lines may have no effect"
done <<'END'
heritrix Heritrix 3 http://a.org/x[1]
nutch Nutch 4 http://a.org/x[1]
scrapy Scrapy 3 http://a.org/x[1]
frontera Frontera 1 mailto:c@a.org
END
for crawler in urlfrontier nutch-nodes; do
    run precedence odd.tsv --crawler "$crawler" -o odd.txt --force
    exits 0
    lacks "$root/stderr" "these names"
done
head -n 1 odd.tsv >even.tsv
run precedence even.tsv -o odd.txt --force
exits 0
lacks "$root/stderr" "these names"

begin "an existing output is refused, and replaced with --force"
ten
printf 'precious\n' >precedence.txt
run precedence scores.tsv -o precedence.txt
exits 2
stderr_is <<'END'
millrace: precedence.txt: exists; use --force to replace it
END
file_is precedence.txt <<<precious
run precedence scores.tsv -o precedence.txt --force --quiet
exits 0
lacks precedence.txt precious

begin "a table of names, levels and scores, by the suffix"
printf 'http://a/\t3\nhttp://b/\t1.5\nhttp://c/,d\t0.25\n' >scores.tsv
run precedence scores.tsv --levels 3 -o levels.txt
run precedence scores.tsv --levels 3 -o levels.csv
exits 0
run precedence scores.tsv --levels 3 -o levels.jsonl.gz --quiet
python3 - <<'END' || fail "$(cat levels.csv)"
import csv, gzip, json
lines = [line.split() for line in open("levels.txt")]
scores = [line.split("\t") for line in open("scores.tsv")]
rows = list(csv.DictReader(open("levels.csv")))
assert [(row["name"], row["level"]) for row in rows] == [tuple(line) for line in lines] and len(rows) == 3
assert [(row["name"], float(row["score"])) for row in rows] == [(name, float(score)) for name, score in scores]
objects = [json.loads(line) for line in gzip.open("levels.jsonl.gz")]
assert objects == [{"name": r["name"], "level": int(r["level"]), "score": float(r["score"])} for r in rows]
END
run precedence scores.tsv --only-changed levels.txt -o changed.csv
exits 2
stderr_is <<<'millrace: changed.csv: --only-changed is about lines, and this is a table; name a file of lines (.txt)'
run precedence scores.tsv --crawler scrapy -o levels.json
exits 2

finish
