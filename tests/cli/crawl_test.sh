#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
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

begin "without a profile every path and user is a page of its own"
run build -o "$shared/none.mill" --columns source-target --quiet "$shared/links.txt"
exits 0
run info "$shared/none.mill" --json
has "$root/stdout" '"vertices": 9,'

begin "spellings that browsers take for one page are one page, in every profile and every lookup"
cat >odd.txt <<'LINKS'
http://xn--bcher-kva.example/ http://b.example/c
http://bücher.example:80/ HTTP:\\B.example\c
http://0x7f.1/ http://127.0.0.1/
LINKS
for profile in none heritrix wayback surt; do
    run build -o odd.mill --columns source-target --profile $profile --force --json odd.txt
    exits 0
    has "$root/stdout" '"vertices": 3,'
    has "$root/stdout" '"duplicates": 1,'
    has "$root/stdout" '"self_loops": 1,'
    run show odd.mill 'http://BÜCHER.example:80/' --links-out --quiet
    exits 0
    [ "$(wc -l <"$root/stdout")" = 1 ] || fail "$profile: $(cat "$root/stdout")"
done
run build -o odd.mill --columns source-target --force --quiet odd.txt
exits 0
run append odd.mill --columns source-target --quiet <(echo 'HTTP://127.1/ http://bücher.example')
exits 0
run pagerank odd.mill --quiet -o odd.tsv
printf '%s\n' http://127.0.0.1/ http://b.example/c http://xn--bcher-kva.example/ http://xn--bcher-kva.example |
    cmp - <(cut -f 1 odd.tsv) || fail "names: $(cat odd.tsv)"
sed -i 's|http://b.example/c|HTTP://B.example:80/c|' odd.tsv
run certify odd.tsv --graph odd.mill --quiet
exits 0
printf '%s\n' 'http://BÜCHER.example/' >seeds.txt
run ppr odd.mill --seeds seeds.txt --quiet
exits 0

begin "a profile: spellings of one page are one vertex, and links between them self-loops"
run build -o "$shared/heritrix.mill" --columns source-target --profile heritrix --json "$shared/links.txt"
exits 0
has "$root/stdout" '"vertices": 4,'
has "$root/stdout" '"duplicates": 1,'
has "$root/stdout" '"self_loops": 1,'
run check --full "$shared/heritrix.mill"
exits 0
run pagerank "$shared/heritrix.mill" --sort name --quiet
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
run pagerank "$shared/surt.mill" --sort name --quiet
cut -f 1 "$root/stdout" >names.txt
printf '%s\n' 'com,example)/a' 'com,example)/b' 'com,example)/b?&' 'org,other)/' | cmp - names.txt || fail "surt"
run build -o "$shared/wayback.mill" --columns source-target --profile wayback --quiet "$shared/links.txt"
exits 0
run check --full "$shared/wayback.mill"
exits 0
run pagerank "$shared/wayback.mill" --sort name --quiet
cut -f 1 "$root/stdout" >names.txt
printf '%s\n' example.com/a example.com/b other.org/ | cmp - names.txt || fail "wayback"

begin "what is wrong with a profile is said"
run build -o x.mill --profile heretic "$shared/links.txt"
exits 2
stderr_is <<<"millrace: --profile heretic: must be none, heritrix, wayback or surt; 'millrace help profiles' explains them"
run build -o x.mill --rule -www "$shared/links.txt"
exits 2
stderr_is <<<"millrace: --rule -www: needs a profile; say --profile as well"
echo 1 2 >numbers.txt
run build -o x.mill --profile surt numbers.txt
exits 2
stderr_is <<<"millrace: --profile surt is for URLs, and the pages of this input are numbers"
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

begin "lists for fetching have URLs as they were met, in their original spelling"
cat >met.txt <<'LINKS'
http://WWW.Example.com/A http://example.com/Next?b=1&a=2
http://www.example.com/a/ http://example.com/Next?b=1&a=2
http://WWW.Example.com/A http://Other.org/Last
LINKS
for profile in surt wayback heritrix; do
    run build -o $profile.mill --columns source-target --profile $profile --quiet met.txt
    exits 0
    run opic $profile.mill --next 9 --sweeps 9 --quiet
    exits 0
    cut -f 1 "$root/stdout" | sort >next
    printf '%s\n' 'http://Other.org/Last' 'http://example.com/Next?b=1&a=2' | cmp -s - next || fail "$profile: $(cat next)"
    run pagerank $profile.mill -o $profile.tsv --quiet
    field_is $profile.tsv.meta.json profile "\"$profile\""
    run precedence $profile.tsv -o $profile.txt
    exits 0
    has "$root/stderr" "note: the URLs have the spellings of $profile.mill, the store of the scores"
    run precedence $profile.tsv --spellings $profile.mill --quiet
    cmp -s "$root/stdout" $profile.txt || fail "$profile: $(cat $profile.txt)"
    cut -d ' ' -f 1 $profile.txt | sort | cmp -s - <(tr ' ' '\n' <met.txt | sort -u) || fail "$profile: $(cat $profile.txt)"
    run precedence --mix 1:$profile.tsv,2:$profile.tsv --quiet
    exits 0
    cut -d ' ' -f 1 "$root/stdout" | sort | cmp -s - <(tr ' ' '\n' <met.txt | sort -u) || fail "--mix $profile: $(cat "$root/stdout")"
done

begin "canonical names without their store are refused"
printf 'http://a.com/A http://a.com/B\n' >links.txt
run pagerank links.txt --profile heritrix -o ranks.tsv --quiet
exits 0
run precedence ranks.tsv -o levels.txt
exits 3
stderr_is <<<"millrace: ranks.tsv: has names of --profile heritrix, not the URLs that the crawl met; name a store with these URLs with --spellings STORE"
missing levels.txt
run build -o a.mill links.txt --profile heritrix --quiet
run pagerank a.mill -o ranks.tsv --quiet --force
rm -r a.mill
run precedence ranks.tsv -o levels.txt
exits 3
stderr_is <<<"millrace: ranks.tsv: has names of --profile heritrix, not the URLs that the crawl met, and their store cannot be read: a.mill; name a store with these URLs with --spellings STORE"
printf 'com,a:80)/1\t1\n' >keys.tsv
run precedence keys.tsv -o levels.txt
exits 3
stderr_is <<<"millrace: com,a:80)/1 is a key, no URL that a crawler can fetch; name the store of the scores with --spellings STORE"
missing levels.txt
run precedence - --crawler scrapy --quiet < <(printf 'http://a/b)/c\t1\nf(x)/y\t2\n')
exits 0
run precedence keys.tsv --crawler commoncrawl --quiet
exits 0

finish
