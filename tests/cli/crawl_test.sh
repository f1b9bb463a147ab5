#!/usr/bin/env bash
# Crawls by URL: profiles and spellings, names out of core.
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

begin "without a profile every spelling is a page"
run build -o "$shared/none.mill" --columns source-target --quiet "$shared/links.txt"
exits 0
run info "$shared/none.mill" --json
has "$root/stdout" '"vertices": 9,'

begin "a profile: spellings of one page are one vertex, and links between them self-loops"
run build -o "$shared/heritrix.mill" --columns source-target --profile heritrix --json "$shared/links.txt"
exits 0
has "$root/stdout" '"vertices": 4,'
has "$root/stdout" '"duplicates": 1,'
has "$root/stdout" '"self_loops": 1,'
run check --full "$shared/heritrix.mill"
exits 0
run pagerank "$shared/heritrix.mill" --quiet
exits 0
cut -f 1 "$root/stdout" >names.txt
printf '%s\n' http://example.com/a http://example.com/b http://other.org/ http://other.org |
    cmp - names.txt || fail "names"

begin "rules are switched"
run build -o "$shared/rules.mill" --columns source-target --profile heritrix --rule -www,-userinfo --json "$shared/links.txt"
exits 0
has "$root/stdout" '"vertices": 7,'

begin "profiles other than URLs' own form"
run build -o "$shared/surt.mill" --columns source-target --profile surt --quiet "$shared/links.txt"
exits 0
run pagerank "$shared/surt.mill" --quiet
cut -f 1 "$root/stdout" >names.txt
printf '%s\n' 'com,example)/a' 'com,example)/b' 'com,example)/b?&' 'org,other)/' | cmp - names.txt || fail "surt"
run build -o "$shared/wayback.mill" --columns source-target --profile wayback --quiet "$shared/links.txt"
exits 0
run check --full "$shared/wayback.mill"
exits 0
run pagerank "$shared/wayback.mill" --quiet
cut -f 1 "$root/stdout" >names.txt
printf '%s\n' example.com/a example.com/b other.org/ | cmp - names.txt || fail "wayback"

begin "what is wrong with a profile is said"
run build -o x.mill --profile heretic "$shared/links.txt"
exits 2
stderr_is <<<"millrace: --profile heretic: must be none, heritrix, wayback or surt; 'millrace help profiles' explains them"
run build -o x.mill --rule -www "$shared/links.txt"
exits 2
stderr_is <<<"millrace: --rule -www: of which profile? Say --profile as well"
echo 1 2 >numbers.txt
run build -o x.mill --profile surt numbers.txt
exits 2
stderr_is <<<"millrace: --profile surt is for URLs, and the vertices of this input are numbers"
run help profiles
exits 0
has "$root/stdout" "--profile wayback"
has "$root/stdout" "  -extra-slashes"
awk 'length > 80 { exit 1 }' "$root/stdout" || fail "a line is longer than 80 columns"

begin "names that do not fit in memory: the same store, byte for byte"
awk 'BEGIN {
    for (i = 0; i < 400000; i++) {
        r = (r * 69069 + 1) % 4294967296
        a = int(r / 28634)
        r = (r * 69069 + 1) % 4294967296
        b = int(r / 28634)
        printf "http://%shost%d.example.com/some/longer/path/%d/%s http://host%d.example.com/some/longer/path/%d/%s\n",
            i % 7 ? "" : "www.", a % 1000, a, i % 5 ? "" : "?", b % 1000, b, i % 3 ? "" : "?"
    }
}' >many.txt
run build -o much.mill --columns source-target --profile heritrix many.txt
exits 0
run build -o little.mill --columns source-target --profile heritrix --memory 40M many.txt
exits 0
has "$root/stderr" "runs through temporary files"
for file in MANIFEST index.1 links.1 degrees.1 names.1; do
    cmp "much.mill/$file" "little.mill/$file" || fail "$file differs"
done
run check --full little.mill
exits 0
[ "$(ls -A | wc -l)" = 3 ] || fail "something was left behind: $(ls -A)"

begin "stores with spellings are transposed whole"
run transpose "$shared/heritrix.mill" -o "$shared/back.mill" --quiet
exits 0
run check --full "$shared/back.mill"
exits 0

finish
