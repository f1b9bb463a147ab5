#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tables that DuckDB reads, with its library: MILLRACE_DUCKDB, or build/duckdb/package/libduckdb.so, which .ci/run gets.
# What is said without it: refusals_test.sh. DuckDB makes the tables, by statements before a query.
. "$(dirname "$0")/lib.sh"

export MILLRACE_DUCKDB=${MILLRACE_DUCKDB:-${MILLRACE_SOURCE_DIR:-$tests_dir/../..}/build/duckdb/package/libduckdb.so}
[ -e "$MILLRACE_DUCKDB" ] || { echo "no library of DuckDB" >&2; exit 77; }

# sql STATEMENTS: DuckDB runs them.
sql() {
    run build --quiet --force -o sql.mill --sql "$1; select 1 as source, 2 as target"
    exits 0
    rm -rf sql.mill
}

# links_are ARGUMENT...: the links of a build, a line each, are those of standard input.
links_are() {
    run build --quiet --force -o links.mill "$@"
    exits 0
    "$MILLRACE" export links.mill -o links.tsv --names names.txt --quiet --force
    awk 'NR == FNR { name[NR - 1] = $0 } NR > FNR && !/^#/ { print name[$1] "|" name[$2] }' names.txt links.tsv |
        sort >"$root/links"
    same "$*" "$root/links"
}

# refused MESSAGE ARGUMENT...
refused() {
    local message=$1
    shift
    run build --quiet -o refused.mill "$@"
    exits 3
    stderr_is <<<"millrace: $message"
    missing refused.mill
}

begin "Parquet files, by name, pattern and folder"
mkdir -p flat parts/year=2025 parts/year=2026
sql "copy (select * from (values ('a', 'b'), ('b', 'c')) t(source, target)) to 'flat/1.parquet'"
sql "copy (select * from (values ('c', 'a')) t(source, target)) to 'flat/2.parquet'"
cp flat/1.parquet parts/year=2025/
cp flat/2.parquet parts/year=2026/
touch flat/_SUCCESS
printf 'a|b\nb|c\nc|a\n' >links
links_are flat <links
links_are 'flat/*.parquet' <links
links_are flat/1.parquet flat/2.parquet <links
links_are parts <links
run append links.mill --sql "select 'c' as source, 'd' as target" --quiet
exits 0
run degree links.mill --quiet
stdout_is <<'END'
a	1	1
b	1	1
c	2	1
d	0	1
END

begin "a tab in a name is no column"
run build --quiet --force -o tab.mill --sql "select 'a' || chr(9) || 'b' as source, 'c' as target union all select 'd', 'e' || chr(9)"
exits 0
"$MILLRACE" pagerank tab.mill --quiet --sort name | cut -f 1 >"$root/stdout"
stdout_is <<'END'
a\x09b
c
d
e\x09
END
sql "copy (from (values ('a' || chr(9) || 'b', 0.25), ('c', 0.25), ('d', 0.25), ('e' || chr(9), 0.25)) t(page, score)) to 'tab.parquet'"
run compare tab.parquet tab.parquet
exits 0
has "$root/stdout" 'pages compared   4, '

begin "a database"
sql "attach 'one.duckdb' as o; create table o.l as select 'a' as source, 'b' as target"
sql "attach 'two.duckdb' as o; create table o.l as select 1 as a; create view o.v as select 1 as b"
sql "attach 'none.duckdb' as o"
links_are one.duckdb <<<'a|b'
refused "two.duckdb: has the tables main.l, main.v; say which columns of which: --sql \"attach 'FILE' as x; select source, target from x.TABLE\"" two.duckdb
refused 'none.duckdb: is a database without a table' none.duckdb

begin "values of all kinds become the names and numbers that they are"
# Quotes, separators, NULL beside a text NULL, an enumeration, a list, a UUID.
links_are --sql "select * from (values ('a', 'b,\"c\"'), ('NULL', 'na;|'), (NULL, 'x'), ('y', NULL)) t(source, target)" <<'END'
NULL|na;|
a|b,"c"
END
links_are --sql "create type e as enum ('x', 'y'); select 'x'::e as source, 'y'::e as target" <<<'x|y'
links_are --sql "select 'a' as source, ['b', 'c'] as targets" <<'END'
a|b
a|c
END
# A list is one by its type, whatever its column is called; its items may have separators, and NULL is none.
for columns in page,links source,target x,y; do
    links_are --sql "from (values ('a', ['b b', 'c, d', 'e|f', 'g;h', '', NULL, 'NULL']), ('b b', []), ('c', NULL)) t($columns)" <<'END'
a|NULL
a|b b
a|c, d
a|e|f
a|g;h
END
done
links_are --columns b,a --sql "from (values (['x', 'it''s'], 'y')) t(a, b)" <<'END'
y|it's
y|x
END
for list in '[2, 3]' '[2.0, 3.00]' '[2, NULL, 3]::decimal(9, 3)[]'; do
    links_are --sql "from (values (1, $list), (3, [1]), (2, [NULL]), (1, [])) t(id, links)" <<'END'
1|2
1|3
3|1
END
done
for target in "{'x': 'b'}" "map {'k': 'v'}" "[['b'], ['c']]" "[{'x': 'b'}]" "[['b']]::varchar[1][1]"; do
    sql="select 'a' as source, $target as target"
    refused "sql:$sql: column 2 has values with parts of their own (structs, maps, lists of lists), which are no pages; choose a part of them in a query" \
        --sql "$sql"
done
links_are --sql "select 'a' as source, 'b' as target, {'x': 1} as other" <<<"a|b"
refused "sql:select ['a'] as s, ['b'] as t: both ends of a link are lists; unnest one of them in a query" \
    --sql "select ['a'] as s, ['b'] as t"
run build --quiet -o refused.mill --sql "select 'a' as source, ['say \"b\"'] as target"
exits 3
has "$root/stderr" "a backslash in a list"
links_are --sql "select 'source' as source, 'b' as target" <<<'source|b'
for type in utinyint tinyint usmallint smallint uinteger integer ubigint bigint hugeint uhugeint double 'decimal(20, 0)' 'decimal(18, 3)'; do
    run build --quiet --force -o n.mill --sql "select i::$type as s, (i + 1)::$type as t from range(100) r(i)"
    exits 0
    "$MILLRACE" export n.mill -o - --to u32 --quiet | cksum >>sums
done
[ "$(sort -u sums | wc -l)" = 1 ] || fail "types of numbers differ"
"$MILLRACE" build -o big.mill --sql "select 18446744073709551614::ubigint as s, 9223372036854775807 as t" --quiet
"$MILLRACE" export big.mill -o big.tsv --quiet
tail -n 1 big.tsv >"$root/stdout"
stdout_is <<<'18446744073709551614	9223372036854775807'
"$MILLRACE" build -o row.mill --sql 'select 3, 4' --quiet
"$MILLRACE" export row.mill -o row.tsv --quiet
tail -n 1 row.tsv >"$root/stdout"
stdout_is <<<'3	4'

begin "columns: by their words, in their order, by name, two of any name; weights; rows without a value are counted"
sql "copy (select * from (values (2, 1, 0.5), (3, 2, 1.25)) t(target, source, weight)) to 'w.parquet'"
printf '1 2 0.5\n2 3 1.25\n' | "$MILLRACE" build -o w.mill --format wel - --quiet
"$MILLRACE" pagerank w.mill --quiet >w.tsv
run pagerank w.parquet --quiet
stdout_is <w.tsv
links_are --sql "select 'b' as t, 'a' as s" --columns s,t <<<'a|b'
links_are --sql "select 'a' as one, 'b' as other" <<<'a|b'
run build -o nulls.mill --sql "select * from (values (1, 2), (NULL, 2), (2, NULL), (2, 3)) t(source, target)"
exits 0
head -n 1 "$root/stderr" >"$root/stdout"
stdout_is <<'END'
millrace: note: left out 2 lines without a source or a target (an empty field, \N, nan, None, NULL or NA without quotes)
END
refused 'sql:select 1 a, 2 b, 3 c:1: "a,b,c": no column is called source or target; say which they are with --columns SOURCE,TARGET, by name or by number, from 1' \
    --sql 'select 1 a, 2 b, 3 c'

begin "a query may be longer than a name of a file"
links_are --sql "select 'a' as source, 'b' as target where '$(printf '%5000s' x)' <> ''" <<<'a|b'

begin "a query runs once"
sql "attach 'runs.duckdb' as r; create table r.t (i int)"
links_are --sql "attach 'runs.duckdb' as r; insert into r.t values (1); select 'a' as source, 'b' as target" <<<'a|b'
run precedence "sql:attach 'runs.duckdb' as r; insert into r.t values (1); select 'a' as page, 1 as score" -o levels.txt --quiet
exits 0
sql "copy (select count(*) from 'runs.duckdb') to 'runs.csv' (header false)"
mv runs.csv "$root/stdout"
stdout_is <<<2

begin "several statements"
links_are --sql "create table t(s text, t text); insert into t values ('a;', '--b'); -- a note; here
    select * from t; /* the end; */ " <<<'a;|--b'

begin "lists, seeds, teleports and scores are queries, too"
printf 'a b\nb c\nc a\na c\n' | "$MILLRACE" build -o g.mill - --quiet
"$MILLRACE" pagerank g.mill --quiet >all.tsv
printf 'a\nc\n' >seeds
"$MILLRACE" pagerank g.mill --seeds seeds --quiet >seeds.tsv
run pagerank g.mill --seeds "sql:select * from (values ('a'), ('c')) t(page)" --quiet
stdout_is <seeds.tsv
printf 'a\t2\nc\t1\n' >teleport
"$MILLRACE" pagerank g.mill --teleport teleport --quiet >teleport.tsv
run pagerank g.mill --teleport "sql:select * from (values ('a', 2), ('c', 1)) t(page, weight)" --quiet
stdout_is <teleport.tsv
sql "copy (select * from read_csv('all.tsv', delim = '\t', names = ['page', 'score'])) to 'all.parquet'"
run compare all.parquet all.tsv
exits 0
has "$root/stdout" 'pages compared   3, 0 of them with different scores'

# rows_of FILE ORDER: the rows of a Parquet file as CSV.
rows_of() {
    sql "copy (from '$1' order by $2) to 'rows.csv' (header)"
    mv rows.csv "$root/stdout"
}

begin "scores as Parquet: the same values, with their metadata, whole or not at all"
printf 'a\tb\nb\tc\nc\ta\na\tc\nx\\x09y\t"q",z\nnull\tc\n' | "$MILLRACE" build -o g.mill --format urls - --quiet
"$MILLRACE" pagerank g.mill --quiet -o all.csv
run pagerank g.mill --quiet -o all.parquet
exits 0
nothing_printed
"$MILLRACE" compare all.csv all.parquet >"$root/stdout"
has "$root/stdout" 'pages compared   5, 0 of them with different scores'
rows_of all.parquet score
[ "$(wc -l <"$root/stdout")" = 6 ] || fail "not all rows: $(cat "$root/stdout")"
sql "copy (select decode(value) as m from parquet_kv_metadata('all.parquet') where decode(key) = 'millrace') to 'meta.json' (format csv, header false, quote '', escape '', delim '\t')"
python3 -c "
import json
meta, beside = json.load(open('meta.json')), json.load(open('all.parquet.meta.json'))
assert meta == beside and meta['graph_id'], (meta, beside)" || fail "metadata"
run pagerank g.mill --quiet -o all.parquet
exits 2
stderr_is <<<'millrace: all.parquet: exists; use --force to replace it'
run pagerank g.mill --quiet -o no/all.parquet
exits 1
ls -A >left
run pagerank g.mill --quiet -o small.parquet --memory 64Mi
exits 5
ls -A | cmp - left || fail "left: $(ls -A)"
(ulimit -f 0 && "$MILLRACE" pagerank g.mill --quiet -o full.parquet 2>"$root/stderr")
missing full.parquet
run pagerank g.mill --quiet -o little.parquet --memory 200Mi # DuckDB has the least that it gets
exits 0
cp little.parquet LITTLE.PARQUET
run compare LITTLE.PARQUET all.csv
exits 0

# A database has one table, with the metadata as its comment.
run pagerank g.mill --quiet -o all.duckdb
exits 0
"$MILLRACE" compare all.csv all.duckdb >"$root/stdout"
has "$root/stdout" 'pages compared   5, 0 of them with different scores'
sql "attach 'all.duckdb' as a; copy (select comment from duckdb_tables() where table_name = 'result') to 'meta.json' (format csv, header false, quote '', escape '', delim '\t')"
python3 -c "
import json
meta, beside = json.load(open('meta.json')), json.load(open('all.duckdb.meta.json'))
assert meta == beside and meta['graph_id'], (meta, beside)" || fail "metadata"
awk 'BEGIN { for (i = 0; i < 100000; i++) print i, i * 7919 % 100003 }' | "$MILLRACE" build -o many.mill - --quiet
ls -A >left
for kind in duckdb parquet; do
    (ulimit -f 100 && "$MILLRACE" pagerank many.mill --quiet -o full.$kind 2>"$root/stderr")
    code=$?
    exits 5
    has "$root/stderr" 'File too large; free some space, or write elsewhere (-o, --tmp)'
done
run pagerank many.mill --quiet -o small.duckdb --memory 64Mi
exits 5
ls -A | cmp - left || fail "left: $(ls -A)"

# The digits that are proven, which follow from the metadata; readers take the scores, not them.
sql "copy (select floor(log10(score / (decode(value)::json ->> 'error_bound')::double))::int as wanted, digits
    from 'all.parquet', parquet_kv_metadata('all.parquet') where decode(key) = 'millrace') to 'digits.csv' (header false)"
awk -F, '$1 != $2 || $2 < 5 { exit 1 } END { exit NR != 5 }' digits.csv || fail "digits: $(cat digits.csv)"
for start in all.csv all.parquet all.duckdb; do
    "$MILLRACE" pagerank g.mill --start $start --tolerance 1e-3 --quiet >>starts
    "$MILLRACE" precedence $start --quiet >>levels
done
[ "$(sort starts | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ] || fail "--start: $(cat starts)"
[ "$(sort levels | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ] || fail "precedence: $(cat levels)"
run compare all.parquet all.duckdb --column digits
exits 0
run hits g.mill --quiet -o none.parquet
sql "copy (select * from 'none.parquet') to 'none.csv' (header)"
[ "$(head -n 1 none.csv)" = name,hub,authority ] || fail "columns: $(head -n 1 none.csv)"
printf 'many\ta\n' >batch
run ppr g.mill --batch batch --quiet -o none.parquet --force
exits 0
sql "copy (select * from 'none.parquet') to 'none.csv' (header)"
[ "$(head -n 1 none.csv)" = name,many ] || fail "columns: $(head -n 1 none.csv)"

mkfifo pipe.parquet
run pagerank g.mill --quiet -o pipe.parquet
exits 2
stderr_is <<<'millrace: pipe.parquet: is a pipe or a device, which cannot hold a table; name a file'

begin "pages that are numbers are numbers; labels and other tables"
printf '10 20\n20 30\n30 10\n7 7\n' | "$MILLRACE" build -o n.mill - --quiet
run components n.mill --quiet -o c.parquet
exits 0
sql "copy (select column_name, column_type from (describe from 'c.parquet')) to 'types.csv' (header false)"
mv types.csv "$root/stdout"
stdout_is <<'END'
name,UBIGINT
weak,UBIGINT
strong,UBIGINT
END
rows_of c.parquet name
stdout_is <<'END'
name,weak,strong
7,7,7
10,10,10
20,10,10
30,10,10
END
printf 'one\t10\nother\t7\n' >seeds
"$MILLRACE" ppr n.mill --each seeds --top 2 --quiet -o each.csv
run ppr n.mill --each seeds --top 2 --quiet -o each.parquet
exits 0
sql "copy (select seed, page, score::varchar, bound::varchar, proven::int from 'each.parquet') to 'each.txt' (header false)"
sql "copy (select column0, column1, column2::double::varchar, column3::double::varchar, column4 from read_csv('each.csv', header = false, skip = 1, all_varchar = true)) to 'same.txt' (header false)"
cmp each.txt same.txt || fail "--each differs: $(cat each.txt same.txt)"
run pagerank n.mill --quiet --sort score -o best.parquet
exits 0
printf "it's\t7\n" >named
run ppr n.mill --batch named --quiet -o named.parquet
exits 0
sql "copy (select name, \"it's\" from 'named.parquet' where \"it's\" > 0) to 'named.csv' (header false)"
mv named.csv "$root/stdout"
stdout_is <<<'7,1.0'

begin "tables that commands write are the rows that they print"
printf 'http://a.org/ http://b.org/\nhttp://a.org/x http://b.org/\n' >links.txt
run build links.txt -o u.mill --quiet
run pagerank u.mill -o r.tsv --quiet
for command in "hosts u.mill -o" "precedence r.tsv -o" "components u.mill --sizes" "fold u.mill --force -o h.mill --members"; do
    # shellcheck disable=SC2086 # words
    run $command rows.csv --quiet
    # shellcheck disable=SC2086
    run $command rows.parquet --quiet
    exits 0
    sql "copy (from 'rows.parquet') to 'found.csv' (header)"
    python3 - <<'END' || fail "$command: $(cat found.csv)"
import csv
def rows(name):
    return [[float(cell) if cell[0].isdigit() else cell for cell in row] for row in csv.reader(open(name))]
assert rows("found.csv") == rows("rows.csv") and len(rows("rows.csv")) > 1
END
    rm rows.parquet rows.csv
done

begin "Parquet files hold the rows of the .tsv, as pyarrow, Polars and DuckDB read them"
cat >rows.py <<'END'
import importlib
import sys

READERS = {
    "pyarrow": lambda module, path: (lambda table: (table.column_names, list(zip(*table.to_pydict().values()))))(
        importlib.import_module("pyarrow.parquet").read_table(path)),
    "polars": lambda module, path: (lambda table: (table.columns, table.rows()))(module.read_parquet(path)),
    "duckdb": lambda module, path: (lambda table: (table.columns, table.fetchall()))(module.sql(f"from '{path}'")),
}
for reader, read in READERS.items():
    try:
        module = importlib.import_module(reader)
    except ImportError:
        print(f"skipped: rows read by {reader}, which is not installed", file=sys.stderr)
        continue
    for name in sys.argv[1:]:
        with open(f"{name}.tsv", encoding="utf-8", newline="\n") as file:
            wanted = [line.rstrip("\n").split("\t") for line in file if not line.startswith("# ")]
        columns, rows = read(module, f"{name}.parquet")
        if columns[-1] == "digits":
            rows = [row[:-1] for row in rows]
        found = [[type(there)(own) for own, there in zip(line, row)] for line, row in zip(wanted, rows)]
        if len(wanted) != len(rows) or found != [list(row) for row in rows]:
            print(f"{name}: {reader} reads {columns}, {rows[:3]} for {wanted[:3]}")
END
"$MILLRACE" build -o g.mill --quiet --sql "select * from (values ('a', 'b'), ('b', 'c'), ('c', 'a'), ('null', 'é'), ('NA', '\"q\",z'),
    ('t' || chr(9), '01'), ('\\x09', 'a b '), ('1', 'c')) t(source, target)"
awk 'BEGIN { for (i = 0; i < 300000; i++) print i, i * 7919 % 100003 }' | "$MILLRACE" build -o n.mill - --quiet
printf 'one\t10\nother\t7\n' >seeds
for suffix in tsv parquet; do
    "$MILLRACE" pagerank g.mill --quiet -o names.$suffix
    "$MILLRACE" pagerank n.mill --quiet --sort score -o numbers.$suffix # three groups of rows
    "$MILLRACE" components n.mill --quiet -o labels.$suffix >/dev/null
    "$MILLRACE" ppr n.mill --batch seeds --quiet -o seeds.$suffix
done
python3 rows.py names numbers labels seeds >"$root/stdout"
stdout_is </dev/null

begin "the order of the rows and the results do not depend on threads and memory"
query="select (i * 7919 % 100003)::varchar as s, (i * i % 100003)::varchar as t from range(300000) r(i)"
for options in '--threads 1' '--threads 2' '--memory 256Mi'; do
    # shellcheck disable=SC2086
    run build --quiet --force -o g.mill --sql "$query" $options
    exits 0
    cat g.mill/* | cksum >>sums
done
[ "$(sort -u sums | wc -l)" = 1 ] || fail "stores differ"

begin "long texts that wait for their reader keep to --memory"
cat >peak.py <<'END'
import resource
import subprocess
import sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
END
peak=$(python3 peak.py "$MILLRACE" build --quiet -o long.mill --memory 256Mi --threads 2 --sql \
    "select i % 100 || repeat('x', 3000) as source, i % 77 || repeat('y', 3000) as target from range(60000) r(i)")
case $MILLRACE in
*san) ;; # a sanitizer keeps what is freed
*) [ "$peak" -lt 256 ] || fail "$peak MiB" ;;
esac

# both_ways QUERY OPTION...: the links of a query are those of the CSV that DuckDB writes of it, and so is what is said of them.
both_ways() {
    local query=$1
    shift
    sql "copy ($query) to 'rows.csv' (header)"
    run build --quiet --force -o text.mill rows.csv "$@"
    sed 's/rows.csv/INPUT/; s/"//g' "$root/stderr" >text.err
    local wanted=$code
    run build --quiet --force -o rows.mill --sql "$query" "$@"
    sed 's/sql:.*r(i)/INPUT/; s/"//g' "$root/stderr" >rows.err
    [ "$code" = "$wanted" ] || fail "$query: exit $code, as CSV $wanted"
    cmp text.err rows.err || fail "$query: $(cat text.err rows.err)"
    [ "$code" != 0 ] || [ "$(cat text.mill/* | cksum)" = "$(cat rows.mill/* | cksum)" ] || fail "$query: another store"
    rm -rf text.mill rows.mill
}

# The value of row 49990, which is far behind the look.
late() {
    echo "case when i = 49990 then $2 else $1 end"
}

begin "rows as DuckDB has them give what their text gives, good and bad ones"
for value in null "'nan'" 7.0; do
    both_ways "select $(late '(i % 100)::double' "$value::double") as source, i % 7 as target from range(50000) r(i)"
done
for value in -5 1.5 "'inf'" 9007199254740992; do
    run build --quiet --force -o x.mill --sql \
        "select i % 7 as source, $(late '(i % 100)::double' "$value::double") as target from range(50000) r(i)"
    exits 3
    has "$root/stderr" 'the target is a float that is no whole number from 0, or stands for several; cast its column'
done
for row in '16777217::float, 2::float' '1::double, -1::double' "1::double, 'inf'::double" '1.5::float, 2'; do
    run build --quiet --force -o x.mill --columns a,b --sql "select * from (values ($row)) t(a, b)"
    exits 3
    has "$root/stderr" 'is a float that is no whole number from 0, or stands for several; cast its column'
done
run build --quiet --force -o x.mill --sql "select 1::double as source, 'a' as target" --format urls
exits 3
run build --quiet --force -o x.mill --sql "select 1 as a, 2 as b" --columns 1,9
exits 3
has "$root/stderr" 'the table lacks some of the columns --columns 1,9'
run build --quiet --force -o x.mill --sql "select date '2020-01-01' as \"from\", date '2020-01-02' as \"to\""
exits 3
has "$root/stderr" 'dates, and no pages; --columns SOURCE,TARGET'
run build --quiet --force -o x.mill --sql "select date '2020-01-01' as \"from\", date '2020-01-02' as \"to\"" --columns from,to
exits 0
both_ways "select $(late 'i % 100' -5) as source, i % 7 as target from range(50000) r(i)"
both_ways "select i % 100 as source, $(late 'i % 7' 100) as target from range(50000) r(i)" --vertices 100
for value in null -1.0 0.0 "'nan'" "'inf'" 1e-300 0.5; do
    weight=$(late '(i % 9 + 0.25)::double' "$value::double")
    both_ways "select i % 100 as source, i % 7 as target, $weight as weight from range(50000) r(i)"
    both_ways "select 'a' || i % 100 as source, 'b' || i % 7 as target, $weight as weight from range(50000) r(i)" --weights
done
for value in null "'b c'" "'q\"q'" "'http://a.org/;http://b.org/'"; do
    both_ways "select $(late "'a' || i % 1000" "$value") as source, 'b' || i % 9 as target from range(50000) r(i)"
done
for value in "repeat('x', 65537)" "'source'" "'a' || chr(10)"; do
    run build --quiet -o refused.mill --sql "select $(late "'a' || i % 1000" "$value") as source, 'target' as target from range(50000) r(i)"
    exits 3
    has "$root/stderr" 'r(i):49992: '
done

begin "what goes wrong says why, with DuckDB's words and the query"
refused 'sql:select s from nothing: Catalog Error: Table with name nothing does not exist! Did you mean "pg_settings"?' --sql 'select s from nothing'
refused 'sql:selec 1: Parser Error: syntax error at or near "selec"' --sql 'selec 1'
refused 'no/*.parquet: IO Error: No files found that match the pattern "no/*.parquet"' 'no/*.parquet'
printf 'PAR1\25\4\25\n' >bad.parquet
run build --quiet -o refused.mill bad.parquet
exits 3
has "$root/stderr" 'millrace: bad.parquet: Invalid Input Error: '
# An error behind the first rows.
run build --quiet -o refused.mill --sql "select i as s, (i // (i - 250000 + 1e0)::int)::int as t, error(case when i = 250000 then 'late' end) from range(300000) r(i)"
exits 3
missing refused.mill
refused 'sql:select 1:1: "1": one word a line, and no links; links are lines of two names, a page and one that it links to' --sql 'select 1'
run build --quiet -o refused.mill --duckdb no.so flat
exits 2
stderr_is <<<'millrace: --duckdb no.so: no such file'
MILLRACE_DUCKDB=/no.so run build --quiet -o said.mill --duckdb "$MILLRACE_DUCKDB" --sql 'select 1 as source, 2 as target'
exits 0
MILLRACE_DUCKDB=$(find /lib /usr/lib -name 'libz.so.1' -print -quit 2>/dev/null) run build -o refused.mill bad.parquet
exits 3
has "$root/stderr" 'needs the library of DuckDB: version unknown has no duckdb_library_version; 1.4 or newer has it; '
run build --quiet -o refused.mill --memory 32Mi bad.parquet
exits 5
has "$root/stderr" 'DuckDB'
missing refused.mill

begin "Ctrl-C interrupts a query"
set -m
command_line="build --sql (SIGINT)"
TMPDIR=. "$MILLRACE" build -o g.mill --sql "select count(*) as s, 1 as t from range(100000000000) r(i), range(1000) q(j) where i % 7 = j" \
    >"$root/stdout" 2>"$root/stderr" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
code=$?
set +m
exits 130
tail -n 1 "$root/stderr" >"$root/stdout"
stdout_is <<<'millrace: interrupted'
[ -z "$(ls -A)" ] || fail "left: $(ls -A)"

finish
