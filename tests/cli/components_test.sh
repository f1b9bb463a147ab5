#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace components, and --largest of other commands.
. "$(dirname "$0")/lib.sh"
oracle=$(dirname "$0")/../conformance/components_oracle.py
oracle=$(cd "$(dirname "$oracle")" && pwd)/components_oracle.py

begin "a bow-tie: every part, labels in the order of the input"
# core b-c-d, in: a, out: e, a tendril from a to t, and x -> y apart
printf '%s\n' 'a b' 'b c' 'c d' 'd b' 'd e' 'a t' 'x y' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
run components g.mill -o out.tsv --part --header
exits 0
file_is out.tsv <<'END'
name	weak	strong	part
a	a	a	in
b	a	b	core
c	a	b	core
d	a	b	core
e	a	e	out
t	a	t	tendrils
x	x	x	disconnected
y	x	y	disconnected
END
stdout_is <<'END'
pages                                 8
  core                                3         37.50%
  in                                  1         12.50%
  out                                 1         12.50%
  tendrils                            1         12.50%
  disconnected                        2         25.00%

weak, by size                components          pages
  from 2                              1              2
  from 4                              1              6
  all                                 2
  largest                             1              6

strong, by size              components          pages
  from 1                              5              5
  from 2                              1              3
  all                                 6
  largest                             1              3
END
field_is out.tsv.meta.json vertices 8
only_left links.txt g.mill out.tsv out.tsv.meta.json

begin "the same from a file of links, as JSON, and on standard output"
printf '%s\n' 'a b' 'b a' 'c c' >links.txt
run components links.txt --quiet --json
exits 0
[ "$(tr -d ' \n' <"$root/stdout" | grep -o '"bow_tie":{[^}]*}')" = \
    '"bow_tie":{"core":2,"in":0,"out":0,"tendrils":0,"disconnected":1}' ] ||
    fail "$(cat "$root/stdout")"
run components links.txt --quiet -o -
stdout_is <<'END'
a	a	a
b	a	a
c	c	c
END
run components links.txt --quiet --weak-only -o -
stdout_is <<'END'
a	a
b	a
c	c
END
run components links.txt --weak-only --sizes -
stdout_is <<'END'
#freq	#size	#perc
1	2	66.666667%
1	1	33.333333%
END
run components links.txt --weak-only --sizes sizes.csv
python3 -c 'import csv
assert [[float(x) for x in row.values()] for row in csv.DictReader(open("sizes.csv"))] == [[1, 2, 2 / 3], [1, 1, 1 / 3]]' || fail "$(cat sizes.csv)"

begin "wrong flags are refused before any work"
printf 'a b\n' >links.txt
run components links.txt --part
exits 2
stderr_is <<'END'
millrace: --part needs --output FILE
END
run components links.txt -o x.tsv --part --weak-only
exits 2
stderr_is <<'END'
millrace: --part and --weak-only exclude each other; give one of them
END
run components links.txt -o x.npy
exits 2
run components links.txt -o - --json
exits 2
stderr_is <<'END'
millrace: -o -: --json prints to standard output already; name a file
END
only_left links.txt

begin "a crawl, as an independent program finds it, for any memory and threads"
"$MILLRACE" generate crawl --pages 60000 --random-seed 3 -o crawl.mill --quiet
"$MILLRACE" export crawl.mill --to edges -o links.txt --quiet
python3 "$oracle" <links.txt >expected.tsv
"$MILLRACE" build links.txt -o built.mill --quiet
for flags in "--threads 1" "--threads 3" "--memory 34M --threads 2"; do
    # shellcheck disable=SC2086 # several flags
    run components built.mill -o built.tsv --part --force --quiet $flags
    exits 0
    cmp -s expected.tsv built.tsv || fail "other components with $flags"
done

begin "--largest: only the pages of the largest component"
printf '%s\n' 'a b' 'b c' 'c a' 'c d' 'd e' 'x y' 'y x' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
run export g.mill --largest strong --to edges --quiet
exits 0
[ "$(grep -vc "#" "$root/stdout")" = 3 ] || fail "$(cat "$root/stdout")"
run export g.mill --largest weak --names names.txt -o w.txt --to edges --quiet
exits 0
file_is names.txt <<'END'
a
b
c
d
e
END
run pagerank g.mill --largest strong --quiet
exits 0
scores_are <<'END'
a 0.333333
b 0.333333
c 0.333333
END
run degree links.txt --largest weak --quiet
exits 0
stdout_is <<'END'
a	1	1
b	1	1
c	2	1
d	1	1
e	0	1
END
run export g.mill --largest weak --vertex-list names.txt -o u.txt
exits 2
stderr_is <<'END'
millrace: --vertex-list, --host and --largest exclude each other; give one of them
END
run pagerank g.mill --largest weak --links external
exits 2
only_left links.txt g.mill names.txt w.txt

finish
