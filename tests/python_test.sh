#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The module for Python over the shared library of the build tree: its unit tests, `pip install`, and the
# session of docs/python.md. Without numpy it is skipped, and parts of it without networkx, scipy or pip.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python with numpy; './dev deps python' installs it"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive # the graphs are tiny, and threads that spin only take processors
export MILLRACE_LIBRARY=$MILLRACE_BUILD_DIR/libmillrace.so
export PYTHONPATH=$MILLRACE_SOURCE_DIR/bindings/python
cd "$work"
"$python" -W ignore -m unittest discover -s "$MILLRACE_SOURCE_DIR/bindings/python/tests" 2>&1 | tee log
for module in scipy networkx igraph; do
    "$python" -c "import $module" 2>/dev/null || echo "skipped: the tests with $module, which is not installed"
done

# One file, one store and one set of scores: what the program makes of a file, the module makes as well.
printf '1 9\n2 9\n3 9\n4 9\n9 4\n4 3\n' >links.txt
printf 'http://a.example/ http://b.example/\nhttp://b.example/ http://c.example/1\nhttp://b.example/ http://a.example/\n' >urls.txt
printf 'source,target,weight\n4,1,0.5\n1,7,2\n7,4,3.25\n7,9,1\n' >weights.csv
printf '9 7 0.5\n7 3 2\n9 3 1e-3\n' >weights.wel
for links in links.txt urls.txt weights.csv weights.wel; do
    "$MILLRACE" build --quiet -o "program-$links.mill" $links
    weights=$([ -z "${links##weights*}" ] && echo True || echo False)
    "$MILLRACE" pagerank --sort name --quiet ${weights:+$([ $weights = False ] || echo --weights)} "program-$links.mill" >"program-$links.scores"
    "$python" -c "import millrace
millrace.build_files('module-$links.mill', '$links').pagerank(weights=$weights).write('module-$links.scores')"
    diff -r "program-$links.mill" "module-$links.mill"
    cmp "program-$links.scores" "module-$links.scores"
done

# Each format, and parts of graphs.
for options in "--to u32 to='u32'" "--to edges to='edges'" "--to mtx to='mtx'" "--to npy to='npy'" "--to sg to='sg'" \
    "--to bvgraph to='bvgraph'" "--to csv to='csv'" "--to jsonl to='jsonl'" "--to urls to='urls'" "--to pages to='pages'" \
    "--to heritrix-pagerank to='heritrix-pagerank'" "--to mtx --host a.example to='mtx',host='a.example'" \
    "--to sg --largest strong to='sg',largest='strong'"; do
    rm -rf program module
    mkdir program module
    "$MILLRACE" export --quiet program-urls.txt.mill ${options% *} -o program/x
    "$MILLRACE" convert --quiet urls.txt program/y ${options% *}
    "$python" -c "import millrace
millrace.open('program-urls.txt.mill').export('module/x', ${options##* })
millrace.convert('urls.txt', 'module/y', ${options##* })"
    diff -r program module
done

# Every statement of the document runs, in a directory with the links of the example, and prints what stands there.
cp "$MILLRACE_SOURCE_DIR/examples/debian-docs/links.txt.zst" .
if "$python" -c 'import networkx, scipy' 2>/dev/null; then
    sed 's/^```$/\n&/' "$MILLRACE_SOURCE_DIR/docs/python.md" >python.md # a doctest ends with an empty line
    "$python" -W ignore -m doctest -o ELLIPSIS python.md
fi

# The window of a BVGraph, where lists refer to others: the program's file, which is smaller than by default.
"$MILLRACE" build -o docs.mill --columns target-source --quiet links.txt.zst --force
for options in "" "--window 16 --max-ref 100"; do
    # shellcheck disable=SC2086
    "$MILLRACE" export docs.mill --quiet -o "program$options.graph" $options
done
"$python" -c "import millrace
millrace.open('docs.mill').export('module.graph', window=16, max_ref=100)"
cmp "program--window 16 --max-ref 100.graph" module.graph
[ "$(stat -c %s module.graph)" -lt "$(stat -c %s program.graph)" ]

# The wheel installs with pip, and works without the source tree. tests/test_wheel.py looks at what is inside.
if "$python" -c 'import pip' 2>/dev/null; then
    PYTHONPATH=$MILLRACE_SOURCE_DIR/bindings/python "$python" -c "import backend
backend.write_wheel('.', '$MILLRACE_LIBRARY', '$MILLRACE')"
    "$python" -m pip --quiet --disable-pip-version-check install --no-index --no-deps --root-user-action ignore \
        --target "$work/installed" millrace-*.whl >log 2>&1 || { cat log >&2; exit 1; }
    cd /
    # The library of the build tree has no run path to those beside it.
    version=$(env -u MILLRACE_LIBRARY LD_LIBRARY_PATH="$work/installed/millrace" PYTHONPATH="$work/installed" \
        "$python" -c 'import millrace
assert millrace.__file__.startswith("'"$work"'"), millrace.__file__
with open("/proc/self/maps") as file:
    assert "'"$work"'/installed/millrace/libmillrace.so" in file.read()
print(millrace.__version__)')
    [ -d "$work/installed/millrace-$version.dist-info" ] || { ls "$work/installed" >&2; exit 1; }
    # networkx finds the backend by the entry point of what is installed.
    PYTHONPATH="$work/installed" "$python" -c '
try:
    from networkx.utils.backends import _dispatchable
    import networkx, scipy
except ImportError:
    print("skipped: the dispatch of networkx, which comes with 3.2")
    raise SystemExit(0)
graph = networkx.gnp_random_graph(100, 0.05, seed=1, directed=True)
ours, theirs = networkx.pagerank(graph, backend="millrace"), networkx.pagerank(graph, tol=1e-12)
assert max(abs(ours[node] - theirs[node]) for node in graph) < 1e-6'
else
    echo "skipped: pip install, because pip is not installed"
fi
