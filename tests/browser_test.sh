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
must report docs.mill ranks.tsv trust.tsv hits.tsv -o page.html --components --log log.tsv --charts figures \
    --stamp --quiet
code=0
python3 "$here/browser.py" page.html figures/*.svg >browser.log 2>&1 || code=$?
[ $code != 77 ] || { cat browser.log && exit 77; }
[ $code = 0 ] || fail "$(cat browser.log)"

# What is wrong is found.
sed 's|</main>|<p style="width:30rem">wide</p><img src="http://127.0.0.1:9/x.png"></main>|' page.html >bad.html
python3 "$here/browser.py" bad.html >bad.log 2>&1 && fail "bad.html is called good"
grep -q "scrolls sideways at 390" bad.log || fail "nobody says that the page is too wide: $(cat bad.log)"
grep -q "a request for http://127.0.0.1:9/x.png" bad.log || fail "nobody says that it asks for a picture: $(cat bad.log)"
sed 's/(down ? -1 : 1)/1/; s/toLowerCase()/trim()/' page.html >bad.html
python3 "$here/browser.py" bad.html >bad.log 2>&1 && fail "tables that neither sort nor find are called good"
grep -q "not sorted down" bad.log || fail "nobody says that a table does not sort: $(cat bad.log)"
finish "a browser shows the report"
