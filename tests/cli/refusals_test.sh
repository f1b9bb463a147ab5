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

prepare "a store is found in either place where the files tell what they are"
for words in "certify g.mill scores.tsv" "certify scores.tsv g.mill" "certify scores.tsv --graph g.mill"; do
    run $words
    exits 0
    has "$root/stdout" "3 of 3 have a score"
done
run report g.mill scores.tsv -o one.html --quiet
run report scores.tsv g.mill -o other.html --quiet
exits 0
cmp one.html other.html || fail "report SCORES STORE is another page"
run show 1 g.mill
exits 0
cp "$root/stdout" page.txt
run show g.mill 1
stdout_is <page.txt
run find '^[01]$' g.mill
exits 0
[ "$(wc -l <"$root/stdout")" = 2 ] || fail "find REGEX STORE: $(cat "$root/stdout")"
run transpose g.mill -o one.mill --quiet
for words in "g.mill other.mill" "other.mill g.mill"; do
    run transpose $words --quiet
    exits 0
    cmp one.mill/MANIFEST other.mill/MANIFEST || fail "transpose $words"
    rm -r other.mill
done
run append links.txt g.mill --quiet
exits 0

prepare "typical mistakes: each message leads on"
mkdir empty
printf 'http://a/\thttp://b/\n' >urls.txt
run build urls.txt -o urls.mill --quiet
run pagerank urls.mill -o ranks.tsv --quiet
while IFS='|' read -r expected words message; do
    run $words
    exits "$expected"
    stdout_is </dev/null
    stderr_is <<<"millrace: $message"
done <<'END'
2|build --input links.txt|unknown option --input; files are named without it: millrace build -o STORE INPUT... [OPTIONS]
2|convert links.txt -o x.mtx|unknown option -o; files are named without it: millrace convert INPUT... OUTPUT [OPTIONS]
2|build links.txt --out x|unknown option --out; did you mean --output? 'millrace help build' lists all
2|build links.txt --delimiter ,|unknown option --delimiter; it is --separator here, and 'millrace help build' explains it
2|pagerank g.mill --personalization x|unknown option --personalization; it is --teleport here, and 'millrace help pagerank' explains it
2|pagerank g.mill --nstart x|unknown option --nstart; it is --start here, and 'millrace help pagerank' explains it
2|show g.mill 1 --backlinks|unknown option --backlinks; it is --links-in here, and 'millrace help show' explains it
2|export g.mill --format mtx|unknown option --format; it is --to here, and 'millrace help export' explains it
2|components g.mill --top 3|unknown option --top; 'millrace help components' lists all
2|pagerank g.mill --top 10k|--top 10k: not a whole number; write its digits, such as 1000
2|pagerank g.mill 10|10: one argument too many; g.mill is a store, and stands alone; 'millrace append' adds files to it
3|pagerank g|g: no such file, but the beginning of some; say g.mill
3|pagerank ~/none.txt|~/none.txt: does not exist; the shell left ~ as it is, so write $HOME
3|info g|g: no such store; did you mean g.mill?
2|fold g.mill hosts.mill|hosts.mill: one argument too many; fold takes a store; an output is -o hosts.mill, and 'millrace help fold' tells more
2|report g.mill scores.tsv page.html|page.html: the page to write is named by -o page.html
2|compare g.mill scores.tsv|g.mill: is a store, and a file of scores or a list is wanted here; 'millrace pagerank STORE -o FILE' makes scores
2|precedence scores.tsv --fetched links.txt|--fetched and --times change nothing alone; say --next N or --only unfetched, too
2|find g.mill *.pdf|find: *.pdf is not an extended regular expression: Invalid preceding regular expression; .* is any text, and \. a dot, as in '\.pdf$'
2|certify scores.tsv|certify: needs scores and their graph: certify SCORES STORE
2|transpose g.mill a.mill -o b.mill|a.mill: one argument too many beside -o b.mill
2|transpose g.mill -o links.txt|links.txt: is not a store and is not replaced; give another name
2|transpose g.mill -o links.txt --force|links.txt: is not a store and is not replaced; give another name
2|links.txt|links.txt is a file or directory; a command comes first, such as 'millrace pagerank links.txt'
2|query g.mill|unknown command query; did you mean show? 'millrace help' lists all
END
run report g.mill ranks.tsv -o r.html
exits 3
[ ! -e r.html ] || fail "a report of the scores of another graph"
has "$root/stderr" 'ranks.tsv: none of its 2 names is a page of the graph: the first is "http://a/", and a page of the graph is "0"'
printf 'alpha beta\n' >words.txt
run build words.txt -o words.mill --quiet
run fold words.mill -o hosts.mill
exits 3
has "$root/stderr" "words.mill: no page has a host by its name; names are to be URLs, or reversed hosts such as org.example.www"
[ ! -e hosts.mill ] || fail "a graph of no hosts"

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
tail="; pip install duckdb-cli has the command duckdb"
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
stderr_is <<<"millrace: a b.parquet: $library; or pipe it: duckdb -csv -c \"select * from 'FILE'\" | millrace ... -$tail"
cp "a b.parquet" data
run build -o x.mill data
exits 3
stderr_is <<<"millrace: data: is Parquet data without the suffix .parquet, which is not read; pipe it: duckdb -csv -c \"select * from 'data'\" | millrace ... -"
for run in "run pagerank g.mill -o x.parquet" "run hits g.mill -o x.parquet" "run ppr g.mill --each seeds.txt --top 2 -o x.parquet" \
    "run compare scores.tsv scores.tsv -o x.parquet" "run hosts g.mill -o x.parquet" "run show g.mill a --links-out -o x.parquet"; do
    $run
    exits 2
    stderr_is <<<"millrace: x.parquet: $library; or name a .csv, which duckdb -c \"copy (from 'ranks.csv') to 'x.parquet'\" turns into it$tail"
done
run build -o x.mill file:///etc/hosts
exits 3
stderr_is <<<"millrace: file:///etc/hosts: is an address, and Millrace reads files; get the file and say its path"
mkdir -p https:/a
cp links.txt https:/a/links.txt
run build -o x.mill https://a/links.txt --quiet
exits 0

prepare "an output is what its suffix says, in capitals too; what goes nowhere is refused"
run pagerank g.mill -o S.CSV --quiet
exits 0
[ "$(head -n 1 S.CSV)" = name,score ] || fail "S.CSV: $(head -n 2 S.CSV)"
run pagerank g.mill --top 2 --sort name
exits 2
stderr_is <<<"millrace: --top 2 prints the best first; leave out --sort name"
run report g.mill scores.tsv -o page.pdf
exits 2
stderr_is <<<"millrace: page.pdf: the report is a page of HTML; name it .html, and a browser prints it as PDF and saves its tables as CSV"
run report g.mill scores.tsv -o page.html --log passes.tsv
exits 3
stderr_is <<<"millrace: passes.tsv: cannot read: No such file or directory"
run report g.mill scores.tsv -o page.html --log scores.tsv
exits 3
stderr_is <<<"millrace: scores.tsv: has no passes; 'millrace pagerank --log FILE' writes them"
missing page.html

prepare "a change that changes nothing is told"
printf '1 0\n' >drop.txt
run pagerank g.mill --without drop.txt --what-if links.txt
exits 0
has "$root/stderr" "note: this changes nothing: the store has all links of --what-if, and none of --without"
run ppr g.mill --each drop.txt -o each.npy --quiet
run info g.mill
has "$root/stdout" "millrace report g.mill scores.tsv"

finish
