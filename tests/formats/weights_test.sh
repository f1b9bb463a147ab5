#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Weights in, through every format that has them, and out again, against Python that shares nothing with the
# library; then rankings by them, and what is refused.
. "$(dirname "$0")/../helpers.sh"

command -v python3 >/dev/null || { echo "no python3"; exit 77; }

# The graph: whole weights below 256, some above in `large`, fractions in `parts`. Truth: sorted lines.
python3 - <<'END'
import random

random.seed(18)
n = 500
edges = {}
for _ in range(2500):
    edges[random.randrange(n), random.randrange(n)] = random.randrange(1, 200)
edges[0, n - 1] = edges[n - 1, 0] = 7


def write(name, weights, whole):
    listed = sorted((u, v, w) for (u, v), w in weights.items())
    with open(f"{name}.truth", "w") as out:
        out.write("".join(f"{u} {v} {w:g}\n" for u, v, w in listed))
    lists = [[(v, w) for a, v, w in listed if a == u] for u in range(n)]
    mixed = listed[:]
    random.shuffle(mixed)
    kind = "integer" if whole else "real"
    with open(f"{name}.wel", "w") as out:
        out.write("".join(f"{u} {v} {w}\n" for u, v, w in mixed))
    with open(f"{name}.mtx", "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate {kind} general\n{n} {n} {len(listed)}\n")
        out.write("".join(f"{u + 1} {v + 1} {w}\n" for u, v, w in mixed))
    with open(f"{name}.csv", "w") as out:
        out.write("weight,Target,note,Source\n" + "".join(f'{w},{v},"a, b",{u}\n' for u, v, w in mixed))
    with open(f"{name}.metis", "w") as out:
        out.write(f"{n} {len(listed)} 001\n")
        out.write("".join(" ".join(f"{v + 1} {w}" for v, w in row) + "\n" for row in lists))


write("bytes", edges, True)
write("large", {e: w * (1 if w % 3 else 1000) for e, w in edges.items()}, True)
write("parts", {e: w / 8 for e, w in edges.items()}, False)
END

truth_is() { # NAME STORE LABEL
    must export "$2" --to wel -o found.wel --force
    read_graph found --weights wel found.wel
    same found "$1.truth" "$3"
}

for name in bytes large parts; do
    for format in wel mtx csv metis; do
        options=()
        case $format in
        wel | csv) options=(--vertices 500) ;;
        esac
        must build --quiet --force -o in.mill "$name.$format" "${options[@]}"
        must check --quiet --full in.mill
        truth_is "$name" in.mill "$name.$format"
        must build --quiet --force --no-weights -o plain.mill "$name.$format" "${options[@]}"
        same in.mill/links.1 plain.mill/links.1 "$name.$format without weights"
        [ ! -e plain.mill/weights.links.1 ] || fail "--no-weights keeps weights"
    done
    # Out, in every format that has weights, also in part and through convert.
    for format in wel mtx; do
        out=out.$format
        must export in.mill --to "$format" -o "$out" --force
        read_graph found --weights $format "$out"
        same found "$name.truth" "$name out as $format"
        must convert --quiet --force --to wel "$out" back.wel --weights
        read_graph found --weights wel back.wel
        same found "$name.truth" "$name as $format through convert"
    done
done
must transpose --quiet --force in.mill -o reversed.mill
must check --quiet --full reversed.mill
must transpose --quiet --force reversed.mill -o in.mill
truth_is parts in.mill "transposed twice"
printf '%s\n' 3 4 5 6 7 8 >list
must export in.mill --to wel --vertex-list list -o part.wel --force
awk '$1 >= 3 && $1 <= 8 && $2 >= 3 && $2 <= 8' parts.truth >wanted
read_graph found --weights wel part.wel
same found wanted "a part"

# The ranks, against power iteration in Python.
cat >rank.py <<'END'
import sys

edges = [(int(u), int(v), float(w)) for u, v, w in map(str.split, open(sys.argv[1]))]
n = 500
out = [0.0] * n
for u, v, w in edges:
    out[u] += w
x = [1 / n] * n
for _ in range(400):
    dangling = sum(x[v] for v in range(n) if out[v] == 0)
    y = [(0.15 + 0.85 * dangling) / n] * n
    for u, v, w in edges:
        y[v] += 0.85 * x[u] * w / out[u]
    x = y
scores = dict((int(v), float(s)) for v, s in map(str.split, open(sys.argv[2])))
assert len(scores) == n
difference = sum(abs(x[v] - scores[v]) for v in range(n))
assert difference < 1e-11, difference
END
for precision in double single; do
    must pagerank in.mill --weights --precision double --tolerance 1e-12 -o ranks.tsv --force --quiet
    python3 rank.py parts.truth ranks.tsv || fail "ranks by weight"
done
must pagerank parts.wel --vertices 500 --weights --tolerance 1e-12 -o direct.tsv --force --quiet
same ranks.tsv direct.tsv "ranks of the file"
must pagerank in.mill --tolerance 1e-12 -o plain.tsv --force
grep -q 'note: the weights of the links are ignored' stderr || fail "no note"
must pagerank plain.mill --tolerance 1e-12 -o without.tsv --force --quiet
same plain.tsv without.tsv "ranks without weights"
must hits in.mill --weights -o hits.tsv --force --quiet
must hits in.mill -o plain-hits.tsv --force --quiet
! cmp -s hits.tsv plain-hits.tsv || fail "hits do not depend on weights"
must ppr in.mill --weights --seed 3 -o ppr.tsv --force --quiet

# Degrees are sums; SALSA is what a step of the walk leaves as it is, a part having its share of the pages.
cat >walk.py <<'END'
import sys
from collections import Counter, defaultdict

edges = [(int(u), int(v), float(w)) for u, v, w in map(str.split, open(sys.argv[1]))]
salsa, degree = ({int(v): (float(a), float(b)) for v, a, b in map(str.split, open(path))}
                 for path in sys.argv[2:4])
part = {}  # of ("hub", u) and ("authority", v)
for u, v, _ in edges:
    a, b = part.setdefault((0, u), {(0, u)}), part.setdefault((1, v), {(1, v)})
    if a is not b:
        a |= b
        part.update((node, a) for node in b)
for side in 0, 1:
    sums = [defaultdict(float), defaultdict(float)]
    for u, v, w in edges:
        sums[0][u] += w
        sums[1][v] += w
    assert all(degree[v][side] == sums[side][v] for v in range(500)), "degrees"
    middle, step = defaultdict(float), defaultdict(float)
    for e in edges:
        middle[e[1 - side]] += salsa[e[side]][side] * e[2] / sums[side][e[side]]
    for e in edges:
        step[e[side]] += middle[e[1 - side]] * e[2] / sums[1 - side][e[1 - side]]
    assert all(abs(step[v] - salsa[v][side]) <= 1e-12 * step[v] for v in range(500)), "a step"
    nodes = [node for node in part if node[0] == side]
    wanted = Counter(id(part[node]) for node in nodes)
    for node in nodes:
        wanted[id(part[node])] -= salsa[node[1]][side] * len(nodes)
    assert all(abs(rest) < 1e-9 for rest in wanted.values()), "a part's share"
END
awk '$1 % 50 < 40 && $1 % 7 == $2 % 7' parts.truth >several.wel # pages that dangle, several parts
must build --quiet --vertices 500 -o several.mill several.wel
cp several.wel several.truth
cp -r in.mill parts.mill
for name in parts several; do
    must salsa $name.mill --weights -o $name.salsa --quiet
    must degree $name.mill --weights -o $name.degree --quiet
    python3 walk.py $name.truth $name.salsa $name.degree || fail "salsa and degree of $name"
    for command in salsa degree; do
        must $command $name.wel --vertices 500 --weights -o direct.tsv --force --quiet
        same $name.$command direct.tsv "$command of the file $name.wel"
        [ "$(field $name.$command.meta.json weights)" = true ] || fail "$command: no weights recorded"
        must $command $name.mill -o unweighted.tsv --force --quiet
        ! cmp -s $name.$command unweighted.tsv || fail "$command does not depend on weights"
    done
done
must salsa plain.mill -o without.tsv --force --quiet
must salsa parts.mill -o plain.tsv --force --quiet
same plain.tsv without.tsv "salsa without weights"
[ "$(field plain.tsv.meta.json weights)" = false ] || fail "weights recorded that were not used"
[ "$(field several.salsa.meta.json parts)" -gt 1 ] || fail "one part"

# The note is there where weights are left aside, and says what is so.
notes() { # WANTED ARGUMENT...: the notes on weights
    local wanted=$1
    shift
    must "$@"
    grep -o 'note: the weights.*' stderr >said || true
    [ "$(cat said)" = "$wanted" ] || fail "millrace $*: '$(cat said)' instead of '$wanted'"
}
ignored='note: the weights of the links are ignored'
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 4\n' >few.mtx
must build --quiet -o few.mill few.mtx
must build --quiet --no-weights -o few-plain.mill few.mtx
for store in few.mill few.mtx; do
    for command in "pagerank" "ppr --seed 1" "hits" "salsa" "degree"; do
        # shellcheck disable=SC2086
        notes "$ignored (no --weights)" $command $store -o x.tsv --force
        # shellcheck disable=SC2086
        notes "" $command $store --weights -o x.tsv --force
    done
    notes "$ignored (opic counts links, whatever they weigh)" opic $store -o x.tsv --force
done
notes "$ignored (--heritrix counts links)" pagerank few.mill --heritrix -o x.tsv --force
notes "" salsa few-plain.mill -o x.tsv --force
notes "" opic few-plain.mill -o x.tsv --force
notes "$ignored (the store has none)" append few-plain.mill few.mtx
notes "$ignored (no --weights)" crawl-rank few.mtx -o crawl
notes "" crawl-rank few.mtx -o crawl --force --weights
must pagerank few.mill --weights -o x.tsv --force --quiet
same x.tsv crawl/ranks.tsv "crawl-rank by weight"

must show in.mill 0 --links-out --weights >found 2>/dev/null
awk '$1 == 0 { printf "%s\t%s\n", $2, $3 }' parts.truth >wanted
same found wanted "links with weights"

# What is refused, and where; what is only noted.
refused() { # WANTED ARGUMENT...
    local wanted=$1 said
    shift
    said=$("$MILLRACE" "$@" 2>&1 >/dev/null) && fail "millrace $* succeeds"
    case $said in
    *"$wanted"*) ;;
    *) fail "millrace $*: '$said' instead of '$wanted'" ;;
    esac
}
printf '0 1 2\n1 2 -3\n' >negative.wel
printf '0 1 2\n1 2 0\n' >zero.wel
printf '0 1 2\n1 2 x\n' >word.wel
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 -1\n' >negative.mtx
refused 'negative.wel:2: "1 2 -3": the weight is negative' build --weights negative.wel -o x.mill
must build --weights zero.wel -o zero.mill
grep -q 'note: left out 1 link of weight 0' stderr || fail "no note: $(cat stderr)"
refused 'word.wel:2: "1 2 x": the weight is missing' build --weights word.wel -o x.mill
refused 'negative.mtx:4' build --weights negative.mtx -o x.mill
for command in pagerank hits salsa degree; do
    refused 'has no weights; build it again' $command plain.mill --weights
    refused '--links and --weights' $command in.mill --weights --links external
done
refused 'leave out --weights' crawl-rank few.mtx -o none --weights --heritrix
refused 'exclude each other' crawl-rank few.mtx -o none --weights --links external
[ ! -e none ] || fail 'it began before it refused'
refused '--weights' build --weights --no-weights zero.wel -o x.mill
printf '0 1\n1 2\n' >two.txt
refused 'two.txt:1' build --weights two.txt -o x.mill
must build negative.wel -o x.mill
grep -q 'note: the weights are not kept: one is -3' stderr || fail "no note: $(cat stderr)"
[ ! -e x.mill/weights.links.1 ] || fail "weights kept"
finish
