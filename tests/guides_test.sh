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

begin "nightly: three nights give the ranks of all links; a killed night and an old checkpoint do no harm"
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
echo "an older graph's" >web/new.tsv.checkpoint
night second 0
has "$root/stderr" '"event": "end", "command": "append", "exit_code": 0'
has "$root/stderr" '"text": "note: ranks.tsv: 0 of its names are not pages of the graph, 1 pages of the graph are not in it"'
printf 'http://c.org/\n' >web/incoming/3.txt
night "bad file" 3
[ -e web/incoming/3.txt ] || fail "a file that was not added is gone"
printf 'http://c.org/ http://a.org/\n' >web/incoming/3.txt
cp web/incoming/3.txt again.txt
night third 0
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

begin "Containerfile: what it copies is what the static archive has"
sed -n 's/^COPY \([^ ]*\) .*/\1/p' "$MILLRACE_SOURCE_DIR/Containerfile" >copied
file_is copied <<'END'
bin/millrace
share/doc/millrace/LICENSE
END
finish
