# SPDX-License-Identifier: Apache-2.0
"""What torture.py and power_loss.py run: small commands, of every kind the program has.

FIXTURES makes the inputs once, in a directory; every scenario gets a copy of it.
"""

import gzip
import os

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/corpus")

# Formats that have no other scenario, each with a small input of its fuzz corpus.
FORMATS = {
    "adjacency": "three", "arc": "pages", "ascii-graph": "four", "cdxj": "redirect", "crawl-log": "three",
    "csv": "commented", "heritrix-pagerank": "three", "metis": "weights", "npy": "rows", "nutch": "segment",
    "nutch-sequence": "parse", "sg": "directed", "u32": "two", "u32be": "two", "u64": "two", "u64be": "two",
    "warc": "codings", "wel": "lines",
}


def seed(kind):
    with open(os.path.join(CORPUS, kind, FORMATS[kind]), "rb") as file:
        return file.read()


LINKS = "".join(f"{3 * (i % 23)} {3 * ((i * 17 + i // 9) % 29)}\n" for i in range(160))
FRONTIER = "".join(f"{3 * (6 + i % 23)} {3 * ((i * 17 + i // 9) % 29)}\n" for i in range(160))  # its pages come first
MORE = "".join(f"{3 * (i % 19)} {3 * ((i * 5 + 1) % 31)}\n" for i in range(60))
URLS = "".join(
    f"http://h{i % 4}.example/p{i % 11} http://h{(i * 3) % 5}.example/p{(i * 7) % 13}\n"
    for i in range(70)
)
MORE_URLS = "".join(
    f"http://h{i % 3}.example/p{i % 7} http://new{i % 2}.example/p{i % 5}\n" for i in range(20)
)
WEIGHTED = "".join(f"{i % 17} {(i * 5) % 19} {1 + i % 7}\n" for i in range(90))
JSONL = "".join(
    '{"url": "http://a.example/%d", "links": ["http://a.example/%d", "http://b.example/"]}\n'
    % (i, (i * 3) % 7)
    for i in range(9)
)

def wat_record(i):
    """A record of a WAT file: JSON with the links of a page."""
    links = ",".join('{"path":"A@/href","url":"/%d"}' % ((i * 3 + k) % 9) for k in range(3))
    body = ('{"Envelope":{"WARC-Header-Metadata":{"WARC-Target-URI":"http://a.example/%d"},'
            '"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[%s]}}}}}' % (i, links))
    return ("WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://a.example/%d\r\n"
            "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (i, len(body), body))


def warc_record(i):
    """The response of a page, in gzip: a WARC file as crawlers write it."""
    html = "<html><body>" + "".join(f'<a href="/{(i * 5 + k) % 9}">x</a>' for k in range(3)) + "</body></html>"
    body = gzip.compress(html.encode(), mtime=0)
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + body
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{i}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def dated(time, step):
    """JSON lines of pages with the time of their fetch."""
    return "".join('{"url": "http://a.example/%d", "links": ["http://a.example/%d"], "timestamp": %d, "digest": "%d"}\n'
                   % (i, (i * step) % 7, time + i, i * step % 4) for i in range(9))


FILES = {
    "dated.jsonl": dated(1700000000, 3),
    "later.jsonl": dated(1700009000, 4),
    "pages.warc": b"".join(warc_record(i) for i in range(6)),
    "pages.wat": "".join(wat_record(i) for i in range(6)),
    "links.txt": LINKS,
    "frontier.txt": FRONTIER,
    "more.txt": MORE,
    "urls.txt": URLS,
    "more-urls.txt": MORE_URLS,
    "weighted.txt": WEIGHTED,
    "pages.jsonl": JSONL,
    **{f"seed.{kind}": seed(kind) for kind in FORMATS},
    "list.txt": "3\n6\n9\n12\n",
    "fetched.txt": "http://h1.example/p1\nhttp://h2.example/p2\n",
    "seeds.txt": "3\n6\n9\n",
    "batch.txt": "3:1\n6:1,9:2\n",
    "teleport.txt": "3\t1\n6\t2.5\n",
    "host-list.txt": "http://h1.example/p1\nhttp://h2.example/p2\n",
    "times.txt": "3\t1\n6\t2\n9\t3\n",
}

FIXTURES = [
    "build links.txt -o plain.mill --codec plain --encoding keys",
    "build links.txt -o corners.mill --codec plain --encoding corners",
    "build links.txt -o zstd.mill --codec zstd",
    "build frontier.txt -o order.mill",
    "build urls.txt -o names.mill --columns source-target",
    "build urls.txt -o classes.mill --columns source-target --classes host",
    "build weighted.txt -o weights.mill --weights",
    "build dated.jsonl -o dated.mill",
    "build links.txt -o parts.mill",
    "append parts.mill more.txt",
    "transpose plain.mill -o reversed.mill",
    "pagerank plain.mill -o ranks.tsv",
    "pagerank names.mill -o name-ranks.tsv",
    "precedence name-ranks.tsv -o levels.txt",
    "opic plain.mill --state crawl.opic --sweeps 3 -o cash.tsv",
    "export plain.mill --to mtx -o graph.mtx",
    "export plain.mill --to bvgraph -o web.graph",
    "harmonic plain.mill --log2m 4 -o harmonic.tsv",
    "build more-urls.txt -o more-names.mill --columns source-target",
    "export names.mill --shards 2 -o parts",
    "crawl-rank more-urls.txt --columns source-target -o crawled",
    "release names.mill -o released --log2m 4 --no-fold",
    # Every look at the clock is 61 seconds after the one before; at the 30th the user interrupts.
    ("pagerank plain.mill -o out.tsv --checkpoint saved.check", {"MILLRACE_FAULT_CLOCK": "61:30"}),
]

# Folders of results: with _SUCCESS in it, all of a folder belongs together.
FOLDERS = ("out", "parts", "crawled", "released")

# (name, command) or (name, command, environment)
SCENARIOS = [
    ("build-numbers", "build links.txt -o out.mill"),
    ("build-zstd", "build links.txt -o out.mill --codec zstd --encoding corners"),
    ("build-names", "build urls.txt -o out.mill --columns source-target --profile heritrix"),
    ("build-classes", "build urls.txt -o out.mill --columns source-target --classes domain"),
    ("build-weights", "build weighted.txt -o out.mill --weights"),
    ("build-order", "build frontier.txt -o out.mill"),
    ("build-jsonl", "build pages.jsonl -o out.mill --format jsonl"),
    ("build-jsonl-skip", "build pages.jsonl -o out.mill --format jsonl --bad-lines skip"),
    ("build-wat-skip", "build pages.wat -o out.mill --bad-lines skip"),
    ("build-warc", "build pages.warc -o out.mill"),
    ("build-mtx", "build graph.mtx -o out.mill"),
    ("build-small", "build links.txt -o out.mill --memory 33Mi"),
    ("build-replace", "build more.txt -o plain.mill --force"),
    ("append", "append plain.mill more.txt"),
    ("append-names", "append names.mill more-urls.txt --columns source-target"),
    ("append-dated", "append dated.mill later.jsonl --replace"),
    ("append-classes", "append classes.mill more-urls.txt --columns source-target"),
    ("transpose", "transpose plain.mill -o out.mill"),
    ("transpose-weights", "transpose weights.mill -o out.mill"),
    ("generate-kron", "generate kron --scale 6 --random-seed 1 -o out.mill"),
    ("generate-crawl", "generate crawl --pages 300 --urls -o out.mill"),
    ("generate-text", "generate kron --scale 5 --random-seed 1 -o out.txt"),
    ("pagerank", "pagerank plain.mill -o out.tsv"),
    ("pagerank-names", "pagerank names.mill -o out.tsv --top 3"),
    ("pagerank-corners", "pagerank corners.mill -o out.tsv --io pread"),
    ("pagerank-zstd", "pagerank zstd.mill -o out.tsv --io uring --no-pin"),
    ("pagerank-parts", "pagerank parts.mill -o out.npy --names out.names"),
    ("pagerank-order", "pagerank order.mill -o out.tsv.gz"),
    ("pagerank-classes", "pagerank classes.mill -o out.tsv --external-weight 3"),
    ("pagerank-weights", "pagerank weights.mill -o out.tsv --weights"),
    ("pagerank-checkpoint", "pagerank plain.mill -o out.tsv --checkpoint out.check", {"MILLRACE_FAULT_CLOCK": "61"}),
    ("pagerank-resume", "pagerank plain.mill -o out.tsv --checkpoint saved.check --resume"),
    ("pagerank-log", "pagerank plain.mill -o out.tsv --log out.log"),
    ("pagerank-text", "pagerank links.txt -o out.tsv"),
    ("pagerank-until", "pagerank plain.mill -o out.tsv --until order:3"),
    ("pagerank-tty", "pagerank plain.mill --top 5"),
    ("ppr", "ppr plain.mill --seed 3 -o out.tsv"),
    ("ppr-seeds", "ppr plain.mill --seeds seeds.txt -o out.tsv"),
    ("ppr-teleport", "ppr plain.mill --teleport teleport.txt -o out.tsv"),
    ("trustrank", "trustrank plain.mill --trusted seeds.txt --spam-mass -o out.tsv"),
    ("hits", "hits plain.mill -o out.tsv"),
    ("hits-transpose", "hits plain.mill --reverse reversed.mill -o out.tsv"),
    ("hits-query", "hits plain.mill --query seeds.txt -o out.tsv"),
    ("salsa", "salsa plain.mill -o out.tsv"),
    ("degree", "degree plain.mill -o out.tsv"),
    ("opic", "opic plain.mill --sweeps 3 -o out.tsv"),
    ("opic-state-new", "opic plain.mill --state out.opic --sweeps 3 -o out.tsv"),
    ("opic-state-on", "opic plain.mill --state crawl.opic --sweeps 4 -o out.tsv"),
    ("opic-drain", "opic plain.mill --method drain --next 4 -o out.tsv"),
    ("precedence", "precedence ranks.tsv -o out.txt"),
    ("precedence-host", "precedence name-ranks.tsv --per-host --crawler nutch -o out.txt.zst"),
    ("precedence-changed", "precedence name-ranks.tsv --levels 3 --only-changed levels.txt"
     " -o out.txt"),
    ("compare", "compare ranks.tsv cash.tsv --json"),
    ("crawl-rank", "crawl-rank urls.txt --columns source-target -o out"),
    ("crawl-rank-force", "crawl-rank urls.txt --columns source-target -o crawled --force"),
    ("export-shards", "export names.mill --shards 2 -o out"),
    ("export-shards-force", "export plain.mill --shards 3 -o parts --force"),
    ("release-force", "release more-names.mill -o released --log2m 4 --no-fold --force"),
    ("export-edges", "export names.mill --to edges -o out.txt"),
    ("export-bvgraph", "export plain.mill --to bvgraph -o out.graph"),
    ("export-names", "export names.mill --to u32 -o out.bin --names out.names"),
    ("export-order", "export order.mill --to mtx -o out.mtx"),
    ("export-host", "export names.mill --host h1.example --to edges -o out.txt.gz"),
    ("convert", "convert links.txt out.mtx"),
    ("convert-metis", "convert graph.mtx out.u64 --to u64"),
    ("info", "info parts.mill --json"),
    ("info-log", "info plain.mill --log-json"),
    ("check", "check --full names.mill"),
    ("check-weights", "check --full weights.mill"),
    ("check-order", "check --full order.mill"),
    ("links", "show names.mill http://h1.example/p1 --links-in --links-out"),
    ("links-weights", "show weights.mill 3 --links-in --links-out --weights"),
    ("find", "find names.mill h1 -o out.txt"),
    ("show", "show plain.mill 3 --scores ranks.tsv"),
    ("hosts", "hosts names.mill --internal --scores name-ranks.tsv -o out.txt"),
    ("harmonic", "harmonic plain.mill --log2m 4 -o out.tsv"),
    ("components", "components plain.mill --sizes out.sizes -o out.tsv --part"),
    ("fold", "fold names.mill --members out.members -o out.mill"),
    ("certify", "certify ranks.tsv --graph plain.mill"),
    ("certify-harmonic", "certify harmonic.tsv --harmonic --graph plain.mill"),
    ("report", "report names.mill name-ranks.tsv -o out.html"),
    ("report-charts", "report names.mill name-ranks.tsv -o out.html --charts charts"),
    ("pagerank-zst", "pagerank plain.mill -o out.tsv.zst"),
    ("next", "pagerank names.mill --next 5 --fetched fetched.txt -o out.txt"),
    ("subgraph", "export plain.mill --vertex-list list.txt --to sg -o out.sg"),
    ("largest", "export plain.mill --largest weak --to npy -o out.npy"),
    ("build-list", "build links.txt --vertex-list list.txt --bad-lines skip -o out.mill"),
    ("build-bvgraph", "build web.graph -o out.mill"),
    ("transpose-small", "transpose zstd.mill -o out.mill --memory 33Mi"),
    ("append-order", "append order.mill more.txt"),
    ("generate-hosts", "generate hosts --hosts 1000 --names out.names -o out.txt"),
    ("bench", "bench plain.mill --rounds 1"),
    *((f"format-{kind}", f"build seed.{kind} --format {kind} -o out.mill") for kind in FORMATS),
]
