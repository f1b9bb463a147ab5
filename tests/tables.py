#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tables.py [N] [SEED] [tables]: generated tables, read right or refused, never read wrong; generated names, written and read.

Each table is made from a seed: its columns, separator, header, names, quotes, endings, and what is wrong with it. The
generator knows the links, because it writes them; it shares no code and no list of words with the readers. Millrace
reads the table in this process, through its module for Python. Three answers are good:
  - the links are those of the generator (the sums of their weights, too, if the store has weights),
  - the table is refused in a message that names the file,
  - but a table that is plain (two columns or a known header, nothing wrong in it) must be read.
A failure prints the smallest table that still fails, as printf writes it.

Names: N names of blanks, quotes, signs and letters make a graph. Its links and names are exported and built again, which
gives the same graph. Lists for --seeds, --fetched and --gone have names whose first word is another page. With `tables`
neither is run.
"""
import collections
import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
import millrace

FORWARD = [  # the first is the source
    "source target", "src dst", "from to", "Source Target", "FromNodeId ToNodeId", "node_1 node_2", ":START_ID :END_ID",
    "~from ~to", "citing cited", "follower followee", "caller callee", "parent child", "u v", "start end",
    "origin destination", "subject object", "sender recipient", "from_url to_url", "source_id target_id",
    "Source_URL Target_URL", "url link", "page link", "referrer url", "Source_Page Destination_Page", "src_host dst_host",
    "linking_page linked_page", "package dependency", "paper reference", "SOURCE TARGET", "source_node target_node"]
BACKWARD = ["url referrer", "page backlink", "user follower", "page inlink", "paper cited_by", "package used_by",
            "target source", "dst src", "to from", "cited citing", "package dependent", "url referer"]
LISTS = ["url links", "page outlinks", "page links"]
LISTS_BACK = ["page inlinks", "url backlinks"]
UNKNOWN = ["alfa beta", "foo bar", "ONE TWO", "lhs rhs"]
NONE = ["", "\\N", "nan", "NaN", "None", "NULL", "NA", "null"]
WORDS = """amber birch cedar dune ember fjord grove heron iris jade kelp larch maple nectar onyx pine quartz reed
    sable thorn umbra vale willow yarrow zephyr agate basalt copper delta""".split()


def url(r):
    path = "/".join(r.choice(WORDS) for _ in range(r.randint(0, 3)))
    tail = r.choice([""] * 6 + [",1", ";jsessionid=2", "?a=1&b=2", "?q=a,b", "%20x", ".html", "?x=1;y=2"])
    return "%s://%s.example/%s" % (r.choice(["http", "https"]), r.choice(WORDS), path + tail)


def title(r):
    return " ".join(r.choice(WORDS).capitalize() for _ in range(r.randint(1, 3)))


KINDS = {
    "word": lambda r: r.choice(WORDS) + r.choice(["", "", "ette", "son"]),
    "title": title,
    "quoted": lambda r: r.choice(['"%s" (album)', 'The "%s" Show', '%s "II"']) % title(r) if r.random() < .4 else title(r),
    "slash": lambda r: "/%s/%s" % (r.choice(WORDS), r.choice(WORDS)),
    "comma": lambda r: "%s, %s" % (r.choice(WORDS).capitalize(), r.choice(WORDS).capitalize()),
    "semi": lambda r: "%s; %s" % (r.choice(WORDS), r.choice(WORDS)) if r.random() < .4 else title(r),
    "url": url,
    "host": lambda r: r.choice(["www.", "", "a."]) + r.choice(WORDS) + r.choice([".example", ".co.uk", ".org"]),
    "identifier": lambda r: r.choice(["Q%d", "item_%d", "x%d", "10.1000/x%d", "pkg-%d"]) % r.randint(1, 40),
    "id": lambda r: str(r.randint(0, 60)),
    "negative": lambda r: str(r.randint(-30, 30)),
    "float": lambda r: "%d.0" % r.randint(0, 60),
    "unicode": lambda r: r.choice(["Zürich", "東京", "Łódź", "Αθήνα", "São Paulo", "Ünal", "Москва", "naïve", "é"]) + r.choice(["", "x", "2"]),
    "hash": lambda r: r.choice(["#", ""]) + r.choice(WORDS),
}
NUMBERS = ("id", "negative", "float")
EXTRA = {  # columns that are no ends of links
    "anchor": lambda r: r.choice(["", "click here", "a, b", 'say "hi"', "x;y", "1|2", title(r)]),
    "weight": lambda r: r.choice(["1", "2", "0.25", "3.5", "10"]),
    "count": lambda r: str(r.randint(1, 99)),
    "title": title,
    "date": lambda r: "2024-0%d-11" % r.randint(1, 9),
    "label": lambda r: r.choice(["links", "cites"]),
    "Status Code": lambda r: r.choice(["200", "301"]),
    "Rel": lambda r: r.choice(["", "nofollow", "noopener"]),
    "Follow": lambda r: r.choice(["true", "false"]),
    "Kind": lambda r: r.choice(["x", "y"]),
}


class Row:
    def __init__(self, fields, links=(), bad=False, weight=1.0):
        self.fields, self.links, self.bad, self.weight = fields, list(links), bad, weight


class Table:
    """What is written, row by row, and how."""

    def __init__(self, seed):
        self.seed = seed
        r = random.Random("table %d" % seed)
        self.separator = r.choice("\t\t\t,,,;| ")
        self.marks = marks = set()  # what is unusual about it: the name of its class in a report
        self.kind = kind = r.choice(list(KINDS))
        blank = self.separator == " "
        if blank:
            self.kind = kind = r.choice(["word", "url", "identifier", "id"])
        other = kind
        if r.random() < .05 and not blank:
            other = r.choice([k for k in KINDS if k not in ("float", "negative") or k == kind])
        if (kind in NUMBERS) != (other in NUMBERS) or (kind == "url") != (other == "url") or (kind == "host") != (other == "host"):
            marks.add("two kinds")
        one, two = KINDS[kind], KINDS[other]
        self.numbers = {kind, other} <= {"id", "float"}
        words, order, is_list = None, "st", False
        header = r.random()
        if blank and kind != "url" and header < .8:
            header = .95 if header < .7 else .1
        if header < .45:
            words = r.choice(FORWARD)
        elif header < .62:
            words, order = r.choice(BACKWARD), "ts"
        elif header < .70 and kind in ("word", "url", "host", "identifier", "title"):
            words, is_list, other, two = r.choice(LISTS), True, kind, one
            if r.random() < .35:
                words, order = r.choice(LISTS_BACK), "ts"
        elif header < .76 and {kind, other} <= {"id", "url", "host"} and "two kinds" not in marks:
            words = r.choice(UNKNOWN)
            marks.add("unknown header")
        known = words is not None and "unknown header" not in marks
        names = words.split(" ") if words else [None, None]
        names = [n and (n.replace("_", " ") if r.random() < .3 and not blank and "_" in n and n[0] != "n" else n) for n in names]
        if known and r.random() < .15:
            names = [n.upper() for n in names]
        # The columns: the ends, and others between them.
        width = r.choice([2, 2, 2, 2, 3, 3, 4, 5, 6]) if not blank else r.choice([2, 2, 2, 3])
        extras = r.sample(list(EXTRA), width - 2)
        if blank and width == 3:
            extras = ["weight"]
        columns = [("end", 0), ("end", 1)]
        for extra in extras:
            columns.insert(r.randint(0, len(columns)) if known and not blank and r.random() < .5 else len(columns), extra)
        crawler = known and not is_list and not blank and kind == "url" and r.random() < .3 and width < 6
        if crawler:
            columns.insert(0, "Type")
        if not known and not blank and width > 3 and r.random() < .2:
            columns = columns[2:] + columns[:2]
        if not known and width > 2:
            at = [columns.index(("end", 0)), columns.index(("end", 1))]
            marks.add("columns without a header" if at == [0, 1] else "ends elsewhere")
        self.names = None
        if words:
            self.names = [names[c[1]] if isinstance(c, tuple) else c for c in columns]
        # How fields are written.
        self.quoting = "minimal"
        if self.separator == "\t":
            self.quoting = r.choice(["raw", "raw", "minimal"])
        elif not blank and r.random() < .2:
            self.quoting = "all"
        # The rows.
        self.rows = []
        missing = r.random() < .2 and not is_list and not blank
        pool = [one(r) for _ in range(r.randint(3, 9))]
        other_pool = pool if other == kind else [two(r) for _ in range(r.randint(3, 9))]
        list_sign = r.choice([",", ";", "json"]) if not (self.separator == ";" and self.quoting == "raw") else ","
        n_rows = r.choice([1, 2, 3, 4, 6, 9, 14])
        if n_rows < 3:
            marks.add("few rows")
        for _ in range(n_rows):
            cells = [r.choice(pool), r.choice(other_pool)]
            links = [(cells[0], cells[1])]
            if is_list:
                targets = [r.choice(other_pool) for _ in range(r.randint(1, 3))]
                if any("," in t or ";" in t for t in targets + [cells[0]]):
                    targets = targets[:1]
                    marks.add("signs in lists")
                links = [(cells[0], t) for t in targets]
                cells[1] = '["%s"]' % '", "'.join(targets) if list_sign == "json" else list_sign.join(targets)
            elif missing and r.random() < .3:
                cells[r.choice([0, 1, 1])] = r.choice(NONE)
                if any(c in NONE for c in cells):
                    links = []
            fields, weight = [], 1.0
            for column in columns:
                if isinstance(column, tuple):
                    fields.append(cells[column[1]])
                elif column == "Type":
                    fields.append(r.choice(["Hyperlink", "Hyperlink", "Image", "CSS", "JavaScript"]))
                    links = links if fields[-1] == "Hyperlink" else []
                else:
                    fields.append(EXTRA[column](r))
                    weight = float(fields[-1]) if column == "weight" else weight
            if order == "ts":
                links = [(b, a) for a, b in links]
            self.rows.append(Row(fields, [(self.canonical(a), self.canonical(b)) for a, b in links], weight=weight))
        if missing:
            marks.add("missing")
        # What is wrong with it.
        damage = r.random()
        at = r.randrange(len(self.rows) + 1)
        last_end = max(columns.index(("end", 0)), columns.index(("end", 1)))
        if damage < .05 and not blank and n_rows > 3 and any(self.rows[0].fields[:last_end]):  # else a blank line
            self.rows.insert(at, Row(self.rows[0].fields[:last_end], bad=True))
            marks.add("short row")
        elif damage < .09 and not blank and n_rows > 3:
            self.rows.insert(at, Row(self.rows[0].fields + ["over"], bad=True))
            marks.add("long row")
        elif damage < .14 and words and n_rows > 2:
            self.rows.insert(at, Row(list(self.names)))
            marks.add("header again")
        elif damage < .20:
            self.rows.insert(at, Row(None))
        # The file.
        self.top = r.choice(["", "", "", "", "# made by hand\n", "% a comment\n# another, with commas; and more\n"])
        self.bottom = r.choice(["", "", "", "\n"])
        self.end = r.choice(["\n", "\n", "\n", "\r\n"])
        self.bom = r.random() < .1
        self.last_end = r.random() < .9
        self.ending = r.choice([".txt", ".csv", ".tsv", "", "-"])
        self.gzip = r.random() < .2
        if any("#" in "".join(row.fields or [])[:1] for row in self.rows):
            marks.add("# first")
        if is_list:
            marks.add("list")
        self.plain = (len(columns) == 2 or known) and not marks - {"missing", "header again", "list"}
        text = self.text(self.rows).strip("\n").split(self.end)
        for sign in ",;|":
            counts = {line.count(sign) for line in text if line.strip() and line[:2] not in ("# ", "% ")}
            if sign != self.separator and self.separator != "\t" and len(counts) < 3 and max(counts) > 0:
                self.plain = False  # two separators may fit
        lines = [row.fields for row in self.rows if row.fields]
        marked = [line for line in lines if line != lines[0] and all(re.search("[0-9./:@]", field) for field in line)]
        if not words and not re.search("[0-9./:@]", "".join(lines[0])) and len(marked) == len(lines) - lines.count(lines[0]):
            self.plain = False  # the first line may be a header, which may come again
        filled = sum(1 for row in self.rows if row.links)
        if filled == 0 or (missing and filled * 2 < len(self.rows)):
            self.plain = False

    def canonical(self, name):
        if self.numbers and name.endswith(".0"):
            return name[:-2]
        return name

    def field(self, text):
        if self.quoting == "all" or self.quoting == "minimal" and re.search('[%s"\r\n]' % re.escape(self.separator), text):
            if text in NONE:
                return text
            return '"%s"' % text.replace('"', '""')
        return text

    def text(self, rows):
        lines = []
        for row in ([Row(self.names)] if self.names else []) + rows:
            lines.append("# in between" if row.fields is None else self.separator.join(map(self.field, row.fields)))
        text = self.top.replace("\n", self.end) + self.end.join(lines) + (self.end if self.last_end else "") + self.bottom
        return ("\ufeff" if self.bom else "") + text

    def truth(self, rows):
        links = collections.Counter()
        for row in rows:
            for link in row.links:
                links[link] += row.weight
        return links


def read(table, rows, work, context):
    """(links, None), or (None, the message of a refusal)."""
    data = table.text(rows).encode()
    if table.gzip:
        data = gzip.compress(data, 1, mtime=0)
    path, pipe = "-", None
    if table.ending == "-":
        pipe, end = os.pipe()
        os.write(end, data)  # smaller than what a pipe holds
        os.close(end)
        saved = os.dup(0)
        os.dup2(pipe, 0)
        os.close(pipe)
    else:
        path = os.path.join(work, "table" + table.ending + (".gz" if table.gzip else ""))
        with open(path, "wb") as file:
            file.write(data)
    try:
        with millrace.build_files(os.path.join(work, "s.mill"), path, context, force=True) as store:
            try:
                edges, weights = store.edges(weights=True)
            except millrace.MillraceError:
                edges, weights = store.edges(), None
            names = [str(store.names[vertex]) for vertex in range(len(store))]
            links = {(names[a], names[b]): (1.0 if weights is None else float(w))
                     for (a, b), w in zip(edges.tolist(), edges[:, 0] if weights is None else weights)}
            return (links, weights is not None), None
    except millrace.MillraceError as error:
        return None, str(error)
    finally:
        if pipe is not None:
            os.dup2(saved, 0)
            os.close(saved)


def verdict(table, rows, work, context):
    """None if all is well, or what is wrong; and the message of a refusal."""
    got, message = read(table, rows, work, context)
    truth = table.truth(rows)
    if message is not None:
        name = "standard input" if table.ending == "-" else "table" + table.ending
        if name not in message:
            return "the message does not name the file: " + message, message
        return ("refused, though it is plain: " + message if table.plain else None), message
    links, weighted = got
    if any(row.bad for row in rows):
        return "a bad line is read: got %s" % sorted(links), None
    if set(links) != set(truth):
        return "other links: got %s\n  wanted %s" % (sorted(links), sorted(truth)), None
    if weighted and any(abs(links[link] - truth[link]) > 1e-6 for link in links) and "weight" in (table.names or ["weight"]):
        return "other weights: got %s\n  wanted %s" % (sorted(links.items()), sorted(truth.items())), None
    return None, None


def shrink(table, work, context):
    """The rows that are left when none more can be dropped."""
    def kind(wrong):
        return re.sub(r'".*"|[0-9]+', "", wrong) if wrong.startswith("refused") else wrong.split(":")[0]

    first = kind(verdict(table, table.rows, work, context)[0])
    rows = list(table.rows)
    for row in list(rows):
        fewer = [x for x in rows if x is not row]
        bad = sum(x.bad for x in fewer)
        if row.bad or not any(x.links for x in fewer) or len(fewer) < 1 + 4 * bad:
            continue
        again = verdict(table, fewer, work, context)[0]
        if again is not None and kind(again) == first:
            rows = fewer
    return rows


LETTERS = list("abcXYZ019") + list(" '\"#%,;|\\:/.()[]{}<>&?=+-_~`^$@!*") + list("éß東京Λж") + ["  ", "\\x20", "# ", "NULL"] + list("\t\x01\x7f\u0085\u202e")
WHOLE = ["source", "target", "-", "#", "# x", "%", '"', '"x"', "NULL", "nan", "\\N", "\ufeffx", "<html>", "from", "url", "\\x41", "1.0", "01", "007"]


def a_name(r):
    while True:
        name = "".join(r.choice(LETTERS) for _ in range(r.randint(1, 9)))
        if name.strip(" "):
            return name


def names_failures(n, seed, work):
    """Links of generated names from a CSV with quotes and from tabs; then export and build again."""
    r = random.Random("names %d" % seed)
    names = sorted({a_name(r) for _ in range(n)} | set(WHOLE))
    program, failures = os.environ["MILLRACE"], 0

    def run(*arguments):
        made = subprocess.run([program, *arguments, "--quiet", "--force", "--threads", "1"], cwd=work, capture_output=True, text=True)
        if made.returncode:
            print("names: %s: %s" % (" ".join(arguments), made.stderr.strip()))
        return made.returncode == 0

    def links(store):
        with millrace.open(os.path.join(work, store)) as opened:
            text = [str(opened.names[vertex]) for vertex in range(len(opened))]
            return {(text[a], text[b]) for a, b in opened.edges().tolist()}

    for ending in ("csv", "tsv"):
        # Between tabs a name may not look like a comment, a quoted field, or no value.
        kept = [x for x in names if ending == "csv" or not (x[0] in "#%" or '"' in x or x in NONE or "\t" in x or x[0] == "\ufeff")]
        truth = {(name, r.choice(kept)) for name in kept} | {("from", "url")} | ({("source", "target")} if ending == "csv" else set())
        with open(os.path.join(work, "names." + ending), "w", encoding="utf-8", newline="") as file:
            file.write("source,target\n" if ending == "csv" else "source\ttarget\n")
            for a, b in sorted(truth):
                file.write('"%s","%s"\n' % (a.replace('"', '""'), b.replace('"', '""')) if ending == "csv" else "%s\t%s\n" % (a, b))
        if not run("build", "-o", "a.mill", "names." + ending, "--columns", "source,target"):
            failures += 1
            continue
        got = links("a.mill")
        if got != truth:
            failures += 1
            print("names of .%s: %d links differ: got %s, wanted %s" % (
                ending, len(truth - got), sorted(got - truth)[:5], sorted(truth - got)[:5]))
        # Names again, by each way that writes them.
        for to, *more in (("edges", "--names", "n.names"), ("csv",), ("urls",)):
            file = "n." + {"edges": "txt"}.get(to, to)
            if not run("export", "a.mill", "--to", to, "-o", file, *more) or not run("build", "-o", "b.mill", file, *more):
                failures += 1
                continue
            again = links("b.mill")
            if again != got:
                failures += 1
                print("names of .%s, export --to %s, then build: %d of %d links differ: got %s, wanted %s" % (
                    ending, to, len(got - again), len(got), sorted(again - got)[:5], sorted(got - again)[:5]))
    return failures


def lists_failures(rounds, seed, work):
    """Lists of pages, in which the first word of a name is another page: the right page or none."""
    r = random.Random("lists %d" % seed)
    program, failures, sink = os.environ["MILLRACE"], 0, "the sink"
    for _ in range(rounds):
        firsts = r.sample(WORDS, 12)
        known = set(firsts) | {"%s %s" % (r.choice(firsts), r.choice(WORDS)) for _ in range(40)}
        known |= {"%s %s %s" % (r.choice(firsts), r.choice(WORDS), r.choice(["2", "1.5", "x"])) for _ in range(10)}
        unknown = {"%s nowhere" % r.choice(firsts) for _ in range(3)} | {"%s %d" % (r.choice(firsts), r.randint(3, 9)) for _ in range(3)}
        chosen = set(r.sample(sorted(known), 20))
        with open(os.path.join(work, "links.tsv"), "w", encoding="utf-8") as file:
            file.write("source\ttarget\n" + "".join("%s\t%s\n" % (name, sink) for name in sorted(known)))
        lines = sorted(chosen | unknown)
        r.shuffle(lines)
        numbers = r.random() < .5
        with open(os.path.join(work, "list.txt"), "w", encoding="utf-8") as file:
            file.write("".join(name + ("\t%d" % r.randint(1, 9) if numbers else "") + "\n" for name in lines))

        def run(*arguments):
            return subprocess.run([program, *arguments, "--quiet", "--threads", "1"], cwd=work, capture_output=True, text=True)

        def check(what, made, pages):
            nonlocal failures
            if made.returncode:
                got = "exit %d, %s" % (made.returncode, made.stderr.strip())
            else:
                got = pages(made.stdout)
            if got != chosen:
                failures += 1
                print("%s, a list of %d pages: got %s, wanted %s" % (what, len(lines), got if isinstance(got, str) else
                      "%s too many" % sorted(got - chosen)[:5], "%s missing" % sorted(chosen - (got if not isinstance(got, str) else set()))[:5]))
                print("  printf %r > list.txt" % "".join(name + "\n" for name in lines))

        run("build", "-o", "l.mill", "links.tsv", "--force")
        check("ppr --seeds", run("ppr", "l.mill", "--seeds", "list.txt"),
              lambda text: {name for name, score in (line.split("\t") for line in text.splitlines()) if float(score) > 0} - {sink})
        check("pagerank --fetched", run("pagerank", "l.mill", "--fetched", "list.txt", "--next", "99", "--urls-only"),
              lambda text: known - {line.split("\t")[-1] for line in text.splitlines()})
        made = run("append", "l.mill", "--gone", "list.txt", "--bad-lines", "skip")
        if made.returncode == 0:
            made = run("export", "l.mill", "--to", "urls", "-o", "gone.urls", "--force")
        check("append --gone", made, lambda _: known - {line.split("\t")[0] for line in open(os.path.join(work, "gone.urls"), encoding="utf-8")})
    return failures


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    context = millrace.Context(memory=64 << 20, threads=1)
    right, refused, failures, plain = 0, collections.Counter(), 0, 0
    by_mark, printed = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as work:
        for i in range(n):
            table = Table(seed * 1000003 + i)
            plain += table.plain
            wrong, message = verdict(table, table.rows, work, context)
            if wrong is not None:
                failures += 1
                kind = wrong.split(":")[0] + " " + ", ".join(sorted(table.marks))
                printed[kind] += 1
                if printed[kind] <= 3:
                    rows = shrink(table, work, context)
                    print("table %d (%s; %s; %s): %s" % (table.seed, table.kind, ", ".join(sorted(table.marks)) or "nothing odd",
                                                     "a pipe" if table.ending == "-" else "*" + (table.ending or " without ending"),
                                                     verdict(table, rows, work, context)[0].replace(work + "/", "")))
                    print("  printf %r" % table.text(rows))
            elif message is None:
                right += 1
            else:
                text = re.sub(r"^.*?(standard input|table[.a-z]*)", "FILE", message)
                refused[re.sub(r"'.*?'|\d+|\".*?\"", "X", text)[:90]] += 1
                by_mark[", ".join(sorted(table.marks)) or "two separators fit"] += 1
        if sys.argv[3:] != ["tables"]:
            failures += names_failures(n, seed, work) + lists_failures(n // 100, seed, work)
    for kind, count in printed.most_common():
        print("%d times: %s" % (count, kind))
    print("%d tables: %d read right, %d refused, %d wrong; %d are plain and must be read" % (
        n, right, sum(refused.values()), failures, plain))
    for title_, counts in ("refused because", refused), ("refused with", by_mark):
        print(title_ + ":")
        for text, count in counts.most_common(16):
            print("  %5d  %s" % (count, text))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
