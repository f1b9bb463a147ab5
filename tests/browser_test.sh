#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A browser shows the page of `report` and its charts in files: in a wide window, on a phone, in the dark and
# printed; its tables are used (browser.py). Skipped where there is no Chromium.
. "$(dirname "$0")/helpers.sh"
if [ -n "${MILLRACE_SANITIZER-}" ]; then
    echo "the program is the same without sanitizers" && exit 77
fi
printf 'https://www.postgresql.org/docs/15/\nhttps://cmake.org/\n' >good.txt
must build -o docs.mill --columns target-source "$sources/examples/debian-docs/links.txt.zst" --quiet
must pagerank docs.mill -o ranks.tsv --log log.tsv --quiet
must trustrank docs.mill --trusted good.txt --spam-mass -o trust.tsv --quiet
must hits docs.mill -o hits.tsv --quiet
zstd -dcq "$sources/examples/debian-docs/links.txt.zst" | awk 'NR % 50 != 7' >older.txt
must pagerank --columns target-source older.txt -o older.tsv --quiet
must report docs.mill ranks.tsv trust.tsv hits.tsv -o page.html --components --log log.tsv --charts figures \
    --since older.tsv --stamp --quiet
code=0
python3 "$here/browser.py" page.html figures/*.svg >browser.log 2>&1 || code=$?
[ $code != 77 ] || { cat browser.log && exit 77; }
[ $code = 0 ] || fail "$(cat browser.log)"

# The figures of changes are those of compare.
must compare --changes older.tsv ranks.tsv --top 1000 --json --quiet >changes.json
python3 - <<'END' || fail "other changes than those of compare"
import json, re
figures = json.loads(re.search(r'id="figures"[^>]*>(.*?)</script>', open("page.html").read(), re.S)[1])["changes"]
rows = json.load(open("changes.json"))["changes"]
assert figures["page"][0][0] > 0 and figures["page"][2][0] > 0 and figures["host"][0][0] > 0, "nothing has changed"
for of in ("page", "host"):
    for kind, (n, shown) in zip(("gained", "lost", "new", "gone"), figures[of]):
        found = [[row["name"], row["before"], row["after"], row["rank_before"], row["rank_after"]]
                 for row in rows if (row["of"], row["kind"]) == (of, kind)]
        assert shown == found and (n == len(found) or len(found) == 1000), (of, kind, n)
END

# A page whose parts are small: a few pages, and nothing that changed.
printf 'http://a.example/1 http://b.example/\nhttp://b.example/ http://a.example/2\n' >few.txt
must build -o few.mill few.txt --quiet
must pagerank few.mill -o few.tsv --quiet
must report few.mill few.tsv -o few.html --since few.tsv --quiet
python3 "$here/browser.py" few.html >few.log 2>&1 || fail "$(cat few.log)"

# What is wrong is found.
sed 's|</main>|<p style="width:30rem">wide</p><img src="http://127.0.0.1:9/x.png"></main>|' page.html >bad.html
python3 "$here/browser.py" bad.html >bad.log 2>&1 && fail "bad.html is called good"
grep -q "scrolls sideways at 390" bad.log || fail "nobody says that the page is too wide: $(cat bad.log)"
grep -q "a request for http://127.0.0.1:9/x.png" bad.log || fail "nobody says that it asks for a picture: $(cat bad.log)"
sed 's/(down ? -1 : 1)/1/; s/toLowerCase()/trim()/' page.html >bad.html
python3 "$here/browser.py" bad.html >bad.log 2>&1 && fail "tables that neither sort nor find are called good"
grep -q "not sorted down" bad.log || fail "nobody says that a table does not sort: $(cat bad.log)"
finish "a browser shows the report"
