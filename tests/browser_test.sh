#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A browser shows the page of `report` and the pictures of --plot: in a wide window, on a phone, in the dark and
# printed (browser.py). Skipped where there is no Chromium.
. "$(dirname "$0")/helpers.sh"
if [ -n "${MILLRACE_SANITIZER-}" ]; then
    echo "the program is the same without sanitizers" && exit 77
fi
printf 'https://www.postgresql.org/docs/15/\nhttps://cmake.org/\n' >good.txt
must build -o docs.mill --columns target-source "$sources/examples/debian-docs/links.txt.zst" --quiet
must pagerank docs.mill -o ranks.tsv --log log.tsv --plot pagerank.svg --quiet
must trustrank docs.mill --trusted good.txt --spam-mass -o trust.tsv --plot trustrank.svg --quiet
must hits docs.mill -o hits.tsv --plot hits.svg --quiet
must ppr docs.mill --seeds good.txt -o ppr.tsv --plot ppr.svg --quiet
must bench docs.mill --plot bench.svg --quiet >/dev/null
must compare ranks.tsv trust.tsv --plot compare.svg --quiet >/dev/null
must report docs.mill ranks.tsv trust.tsv hits.tsv -o page.html --components --log log.tsv --quiet
code=0
python3 "$here/browser.py" page.html ./*.svg >browser.log 2>&1 || code=$?
[ $code != 77 ] || { cat browser.log && exit 77; }
[ $code = 0 ] || fail "$(cat browser.log)"

# What is wrong is found.
sed 's|</main>|<p style="width:30rem">wide</p><img src="http://127.0.0.1:9/x.png"></main>|' page.html >bad.html
python3 "$here/browser.py" bad.html >bad.log 2>&1 && fail "bad.html is called good"
grep -q "scrolls sideways at 390" bad.log || fail "nobody says that the page is too wide: $(cat bad.log)"
grep -q "a request for http://127.0.0.1:9/x.png" bad.log || fail "nobody says that it asks for a picture: $(cat bad.log)"
finish "a browser shows the report and six pictures"
