#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links of the pages in real WARC files, against read_pages.py: another parser, urllib for URLs.
. "$(dirname "$0")/../cli/lib.sh"

crawl=$MILLRACE_SOURCE_DIR/../shared/data/crawl
[ -d "$crawl" ] || { echo "skipped: no $crawl"; exit 77; }
python=
for python in python3 /usr/bin/python3 none; do
    [ $python = none ] && { echo "skipped: no python3-html5lib"; exit 77; }
    $python -c 'import html5lib' 2>/dev/null && break
done

# compare FILE OF_ORACLE OPTION...: the links of FILE are those that read_pages.py finds.
compare() {
    file=$1 all=$2
    shift 2
    run build -o web.mill "$crawl/$file" --outlinks-from html --force --quiet \
        --link-kinds navigation,redirect,embed,prerequisite,failed,link,img "$@"
    exits 0
    run export web.mill --to edges -o edges.txt --names names.txt --force --quiet
    exits 0
    awk 'NR == FNR { name[FNR - 1] = $1; next } /^#/ { next } { print name[$1] "\t" name[$2] }' names.txt edges.txt | sort >links
    $python "$MILLRACE_SOURCE_DIR/tests/formats/read_pages.py" $all "$crawl/$file" 2>log | sort >expected
    cmp -s links expected || fail "$file $*: $(diff links expected | head -n 5)"
    n=$((n + $(wc -l <links)))
}

begin "the links of every page, each once"
n=0
compare aut-example.warc.gz ""
compare IAH-urls-wget.warc.gz ""
compare IAH-urls-wget.warc.gz --all --captures all
compare whirlwind.warc ""
[ $n -gt 20000 ] || fail "only $n links"

finish
