#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The scripts and units in the guides, as they stand there, on small data.
. "$(dirname "$0")/cli/lib.sh"
guides=$MILLRACE_SOURCE_DIR/docs
mkdir "$root/bin"
ln -s "$MILLRACE" "$root/bin/millrace"
PATH=$root/bin:$PATH

# block GUIDE WORD [LINE]: the first block of this language, or the first behind a line that has LINE.
block() {
    awk -v fence="\`\`\`$2" -v line="${3-}" 'line != "" { if (index($0, line)) line = ""; next }
        /^```/ && inside { exit } inside { print } $0 == fence { inside = 1 }' "$guides/$1.md"
}

begin "nightly: three nights give the ranks of all links; a killed night does no harm"
block nightly bash >nightly.sh
mkdir -p web/incoming
night() {
    command_line="nightly.sh ($1)"
    bash nightly.sh "$PWD/web" >"$root/stdout" 2>"$root/stderr"
    code=$?
    exits "$2"
}
printf 'http://a.org/ http://b.org/\nhttp://b.org/ http://a.org/\n' >web/incoming/1.txt
night first 0
has "$root/stderr" '"event": "end", "command": "build", "exit_code": 0'
printf 'http://b.org/ http://c.org/\n' >web/incoming/2.txt
night second 0
has "$root/stderr" '"event": "end", "command": "append", "exit_code": 0'
has "$root/stderr" '"text": "note: ranks.tsv: 0 of its names are not pages of the graph, and it lacks 1 page of the graph"'
printf 'http://c.org/\n' >web/incoming/3.txt
night "bad file" 3
[ -e web/incoming/3.txt ] || fail "a file that was not added is gone"
printf 'http://c.org/ http://a.org/\n' >web/incoming/3.txt
cp web/incoming/3.txt again.txt
night third 0
mv web/ranks.tsv.meta.json web/new.tsv.meta.json # as if it had been killed between two mv
cp again.txt web/incoming/3.txt # as if it had been killed between the append and the mv
night again 0
night "nothing new" 0
python3 -c 'import json, sys; assert [json.loads(line) for line in open(sys.argv[1])]' "$root/stderr" || fail "no JSON"
cat web/done/* >all.txt
run pagerank all.txt -o all.tsv --quiet
exits 0
python3 - <<'END' || fail "the ranks differ"
nights, at_once = (dict(line.rstrip("\n").split("\t") for line in open(name)) for name in ("web/ranks.tsv", "all.tsv"))
assert nights.keys() == at_once.keys() and len(nights) == 3
assert all(abs(float(nights[page]) - float(at_once[page])) < 1e-9 for page in nights), (nights, at_once)
END
[ "$(ls web)" = "$(printf '%s\n' done incoming levels.txt ranks.tsv ranks.tsv.meta.json web.mill)" ] || fail "$(ls web)"

begin "nightly: systemd takes the units, bash the line of cron"
block nightly ini millrace.service | sed "s|/usr/local/bin/nightly.sh|$(command -v true)|" >millrace.service
block nightly ini millrace.timer >millrace.timer
[ "$(grep -c . millrace.service)" -gt 9 ] && grep -q OnCalendar millrace.timer || fail "no units in the guide"
if command -v systemd-analyze >"$root/which"; then
    said=$(systemd-analyze verify ./millrace.service ./millrace.timer 2>&1) && [ -z "$said" ] || fail "systemd: $said"
fi
block nightly crontab | sed 's/^30 2 [*] [*] [*]  //' | bash -n || fail "the line of cron"

begin "wikipedia: the links are those of the same join in SQLite"
cat >join.py <<'END'
import pathlib, re, sqlite3, subprocess, sys
examples = pathlib.Path(sys.argv[1])
base = sqlite3.connect(":memory:")
for table in ("page", "redirect", "linktarget", "pagelinks"):
    for line in (examples / f"examplewiki-20261101-{table}.sql").read_text().splitlines():
        if line.startswith("  `"):
            base.execute(f"create table if not exists {table} (row integer)")
            base.execute(f"alter table {table} add column {line.split('`')[1]}")
        elif line.startswith("INSERT"):
            rows = line.replace("\\\\", "\0").replace("\\'", "''").replace('\\"', '"').replace("\0", "\\")
            base.execute(rows.replace("VALUES (", "VALUES (NULL,").replace("),(", "),(NULL,"))
meant = """with recursive hop(start, page, n) as (
    select page_id, page_id, 0 from page where page_namespace = 0
    union all select start, page_id, n + 1 from hop join redirect on rd_from = hop.page
        join page on page_namespace = rd_namespace and page_title = rd_title where n < 5)
select pl_from, hop.page from pagelinks join page source on source.page_id = pl_from and pl_from_namespace = 0
    join linktarget on lt_id = pl_target_id join page named on named.page_namespace = 0 and lt_namespace = 0
        and named.page_title = lt_title join hop on hop.start = named.page_id
    join page article on article.page_id = hop.page
where source.page_is_redirect = 0 and article.page_is_redirect = 0"""
expected = sorted(base.execute(meant))
script = [sys.executable, examples / "links.py"]
printed = subprocess.run([*script, examples, "titles.tsv"], stdout=subprocess.PIPE, text=True, check=True).stdout
assert sorted(tuple(map(int, line.split())) for line in printed.splitlines()) == expected and len(expected) == 18, expected
titles = dict(line.rstrip("\n").split("\t") for line in open("titles.tsv"))
ends = {page for link in expected for page in link}
assert titles == {str(page): base.execute("select page_title from page where page_id = ?", (page,)).fetchone()[0]
                  for page in ends}, titles
for name, change, said in (("gone", None, "0 files *linktarget.sql.gz; there must be one"),
                           ("old", ("pl_target_id", "pl_title"), "as dumps from 2024 on have them"),
                           ("cut", ("(12,0,506)", "(12,0)"), "a row of other columns: b'(12,0)")):
    folder = pathlib.Path(name)
    folder.mkdir()
    for path in examples.glob("*.sql"):
        if change or "linktarget" not in path.name:
            (folder / path.name).write_text(path.read_text().replace(*change or ("", "")))
    failed = subprocess.run([*script, folder, "t.tsv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert failed.returncode == 1 and said in failed.stderr, failed
END
python3 join.py "$MILLRACE_SOURCE_DIR/examples/wikipedia" || fail "links.py"

begin "Containerfile: what it copies is what the static archive has"
sed -n 's/^COPY \([^ ]*\) .*/\1/p' "$MILLRACE_SOURCE_DIR/Containerfile" >copied
file_is copied <<'END'
bin/millrace
share/doc/millrace/LICENSE
END
finish
