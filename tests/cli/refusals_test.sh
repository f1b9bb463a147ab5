#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Input that looks right and is not: each of these ran to the end with wrong figures once. Each is refused now,
# with the file, the line and the reason, or at least told.
. "$(dirname "$0")/lib.sh"

# A store of three pages, its scores, and files with fewer of them.
prepare() {
    begin "$1"
    printf '0 1\n1 2\n2 0\n' >links.txt
    run build links.txt -o g.mill --quiet
    exits 0
    run pagerank g.mill -o scores.tsv --quiet
    exits 0
    : >empty.tsv
    head -n 2 scores.tsv >cut.tsv
}

prepare "scores of no page or of some"
run hosts g.mill --scores empty.tsv
exits 3
stderr_is <<<"millrace: empty.tsv: has scores of 0 of the 3 pages, and of 0 others; scores have to come from a ranking of this store, without --top"
run hosts g.mill --scores cut.tsv
exits 3
stderr_is <<<"millrace: cut.tsv: has scores of 2 of the 3 pages, and of 0 others; scores have to come from a ranking of this store, without --top"
run show g.mill 1 --scores cut.tsv
exits 3
run hosts g.mill --scores scores.tsv --quiet
exits 0
run precedence empty.tsv -o levels.txt
exits 3
stderr_is <<<"millrace: empty.tsv: has no scores; rank a graph first, as with millrace pagerank"

prepare "columns that nobody reads"
printf '0\t2\n' >seeds.txt
run pagerank g.mill --seeds seeds.txt --top 1
exits 0
has "$root/stderr" "note: seeds.txt:1: only the name of each line is read"
printf '0\t2\t7\n' >teleport.txt
run pagerank g.mill --teleport teleport.txt --top 1
exits 0
has "$root/stderr" "note: teleport.txt:1: only a name and its value of each line is read"
printf '0 2 # home\n' >teleport.txt
run pagerank g.mill --teleport teleport.txt --top 1 --quiet
exits 0
printf 'a 0 1 9\n' >batch.txt
run ppr g.mill --batch batch.txt
exits 3
has "$root/stderr" "more fields; lines are VECTOR<TAB>PAGE<TAB>WEIGHT"
printf '3 9 9\n1\n2\n0\n' >g.graph-txt
run build g.graph-txt -o a.mill
exits 3
stderr_is <<<'millrace: g.graph-txt:1: "9": the first line of an ASCIIGraph has the number of nodes alone'

begin "weights: decimal commas and numbers too small to divide by"
printf '0 1 1,5\n1 2 2\n2 0 1\n' >w.txt
run build w.txt --weights -o w.mill
exits 3
stderr_is <<<'millrace: w.txt:1: "0 1 1,5": a comma in the weight; write fractions with a point; skip such lines with --bad-lines skip'
printf '0,1,1.5\n1,2,2\n2,0,1\n' >w.txt
run build w.txt --weights -o w.mill --quiet
exits 0
printf '0 1 1e-39\n1 2 2\n2 0 1\n' >w.txt
run build w.txt --weights -o small.mill
exits 3
stderr_is <<<'millrace: w.txt:1: "0 1 1e-39": the weight is below 1.2e-38 or above 3.4e38; scale all weights, or leave out --weights; skip such lines with --bad-lines skip'
printf '0 1 1.2e-38\n1 2 1.2e-38\n2 0 1.2e-38\n' >w.txt
run build w.txt --weights -o small.mill --quiet
exits 0
for precision in single double; do
    run pagerank small.mill --weights --precision $precision --top 3 --quiet
    exits 0
    sum_is_1=$(cut -f 2 "$root/stdout" | awk '{ s += $1 } END { print (s > 0.999 && s < 1.001) }')
    [ "$sum_is_1" = 1 ] || fail "ranks by the least weights do not add up to 1 in $precision precision"
done

prepare "data and addresses of other programs, and the pipe that reads them"
python3 - <<'END'
import tarfile, zipfile
for name, data in ("links.zip", zipfile.ZipFile), ("links.xlsx", zipfile.ZipFile):
    with data(name, "w") as archive:
        archive.write("links.txt", "[Content_Types].xml" if name == "links.xlsx" else "links.txt")
for name, mode in ("links.tar", "w"), ("links.tar.gz", "w:gz"):
    with tarfile.open(name, mode) as archive:
        archive.add("links.txt")
END
pandas='python3 -c "import pandas, sys; pandas'
export MILLRACE_DUCKDB=/no/libduckdb.so
library="needs the library of DuckDB: $MILLRACE_DUCKDB: cannot open shared object file: No such file or directory; \
npm pack @duckdb/node-bindings-linux-x64 has libduckdb.so, and MILLRACE_DUCKDB says where it is"
printf 'PAR1\25\4\25\n' >"a b.parquet"
while IFS='|' read -r file what command; do
    for run in "run build -o x.mill $file" "run degree $file" "run precedence $file" "run compare scores.tsv $file" \
        "run pagerank g.mill --seeds $file"; do
        $run
        exits 3
        has "$root/stderr" "millrace: $file: ${what}pipe it: $command | millrace ... -"
    done
    if [ -e "$file" ] && [ "${command:0:6}" != python ] && command -v "${command%% *}" >/dev/null; then
        bash -c "${command/MEMBER/links.txt}" | "$MILLRACE" build -o piped.mill - --quiet --force
        cmp <("$MILLRACE" degree piped.mill --quiet) <("$MILLRACE" degree g.mill --quiet) || fail "$command"
    fi
done <<END
links.zip|is a zip archive, which is not read; |unzip -p 'links.zip' 'links.txt'
links.tar|is a tar archive, which is not read; |tar -xOf 'links.tar' MEMBER
links.tar.gz|is a tar archive, which is not read; |tar -xOf 'links.tar.gz' MEMBER
links.xlsx|is an Excel workbook, which is not read; |$pandas.read_excel('links.xlsx').to_csv(sys.stdout, index=False)"
s3://a.b/links.gz|is an address, and Millrace reads files; |aws s3 cp 's3://a.b/links.gz' -
gs://a/links.gz|is an address, and Millrace reads files; |gcloud storage cat 'gs://a/links.gz'
hdfs://a:9000/l|is an address, and Millrace reads files; |hdfs dfs -cat 'hdfs://a:9000/l'
https://a.b/l?c=1&d|is an address, and Millrace reads files; |curl -sSfL 'https://a.b/l?c=1&d'
s3://a.b/l.parquet|$library; or |duckdb -csv -c "select * from 's3://a.b/l.parquet'"
sql:fromx|$library; or |duckdb -csv -c "QUERY"
END
run build -o x.mill "a b.parquet"
exits 3
stderr_is <<<"millrace: a b.parquet: $library; or pipe it: duckdb -csv -c \"select * from 'FILE'\" | millrace ... -"
cp "a b.parquet" data
run build -o x.mill data
exits 3
stderr_is <<<"millrace: data: is Parquet data without the suffix .parquet, which is not read; pipe it: duckdb -csv -c \"select * from 'data'\" | millrace ... -"
run build -o x.mill file:///etc/hosts
exits 3
stderr_is <<<"millrace: file:///etc/hosts: is an address, and Millrace reads files; get the file and say its path"
mkdir -p https:/a
cp links.txt https:/a/links.txt
run build -o x.mill https://a/links.txt --quiet
exits 0

finish
