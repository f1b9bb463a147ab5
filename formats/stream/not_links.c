/* SPDX-License-Identifier: Apache-2.0 */
/* The table of inputs that Millrace knows and does not read: how each is recognised, what it is,
 * and what to do instead. Lines of two words have no mark, so a log, an SQL dump and a Pajek file
 * all look like links; without this table they would become a graph of words. Every input comes
 * through here when it is opened, and every input of links once more when its format is chosen,
 * whatever the user says of it. tests/advice.py runs the commands of the table on inputs that cause
 * them. */
#include "formats/stream/not_links.h"

#include <locale.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "formats/stream/input.h"
#include "formats/stream/output.h"

enum {
    LOOK_LINES = 1000,
    TEXT_BYTES = 512,
    TAR_MARK_AT = 257,
    NAME_BYTES = 256,
    WAY_BYTES = 1024,
    ZIP_NAME_AT = 30
};

/* ---- The lines of a text ---- */

struct text_sample {
    const char *path; /* or the name for messages */
    const char *data, *end;
    const char *first; /* the first line that is neither blank nor a comment; `end`: none */
    bool is_text;
};

struct lines {
    const char *at, *end;
    bool is_whole; /* the last line may lack its end */
};

static struct lines begin_lines(const struct text_sample *look)
{
    const size_t bytes = (size_t)(look->end - look->data);
    const bool has_mark = bytes >= 3 && memcmp(look->data, "\xef\xbb\xbf", 3) == 0;
    return (struct lines){look->data + (has_mark ? 3 : 0), look->end, bytes < MR_INPUT_PEEK_BYTES};
}

static bool begins(const char *at, const char *end, const char *mark)
{
    const size_t bytes = strlen(mark);
    return (size_t)(end - at) >= bytes && memcmp(at, mark, bytes) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes the next line without the blanks around it. Blank lines and comments (#, %, ;, --, //, and
 * those of C) are passed over: a mark may stand behind them. */
static bool next_line(struct lines *lines, const char **line, const char **line_end)
{
    while (lines->at < lines->end) {
        const char *at = lines->at, *stop = memchr(at, '\n', (size_t)(lines->end - at));
        if (stop == NULL && !lines->is_whole) {
            break;
        }
        stop = stop != NULL ? stop : lines->end;
        lines->at = stop < lines->end ? stop + 1 : stop;
        for (; at < stop && is_blank(*at); at++) {
        }
        for (; stop > at && is_blank(stop[-1]); stop--) {
        }
        if (begins(at, stop, "/*")) {
            const char *close = memmem(at, (size_t)(lines->end - at), "*/", 2);
            stop = close != NULL ? memchr(close, '\n', (size_t)(lines->end - close)) : NULL;
            lines->at = stop != NULL ? stop + 1 : lines->end;
        } else if (at < stop && memchr("#%;", *at, 3) == NULL && !begins(at, stop, "//") &&
                   !begins(at, stop, "--")) {
            *line = at;
            *line_end = stop;
            return true;
        }
    }
    return false;
}

/* Graphalytics: BASE.v with the vertices beside BASE.e with the links. */
static bool has_twin(const char *path)
{
    char twin[4096]; /* no allocation, which could fail and change the answer */
    const char *const dot = strrchr(path, '.');

    if (dot == NULL || (strcmp(dot, ".v") != 0 && strcmp(dot, ".e") != 0)) {
        return false;
    }
    (void)snprintf(twin, sizeof twin, "%.*s.%c", (int)(dot - path), path,
                   dot[1] == 'v' ? 'e' : 'v');
    return mr_io_exists(path) && mr_io_exists(twin);
}

/* ---- The table ---- */

enum where {
    DATA, /* at the beginning of data that are no text */
    TAR,
    MEMBER, /* the name of the first file of a zip archive */
    GALOIS, /* numbers that give the size of the file */
    GBBS,
    GBBS_COMPRESSED,
    POINTER, /* at the beginning of any input */
    /* The others are for inputs of links alone: */
    HEAD, /* at the beginning of the text */
    FIRST, /* at the first line that is neither blank nor a comment */
    EVERY, /* in each such line */
    BELOW, /* in each such line but the first, which may be a header */
    /* Links may look so, too: refused only if the user has not said what the input is. */
    GUESS, /* at the beginning of the text */
    SUFFIX, /* the end of the path */
    TWIN,
    PAGES, /* at the beginning of the text of a list of pages, and for these alone */
};

struct input_kind {
    enum where where;
    const char *begin; /* the first byte of such an input is one of these; NULL: any */
    /* An extended regular expression; with "(?i)" before it, capitals do not matter. */
    const char *mark;
    const char *what; /* NULL: the way out says it */
    /* 'FILE' and 'MEMBER' become the path and the name of the first file in an archive, if these
     * can stand in quotes of a shell. */
    const char *way_out;
};

#define PAGES_WANTED "a list of pages is wanted here, one a line"

#define PIPE(command) "pipe it: " command " | millrace ... -"
#define PYTHON(code)  PIPE("python3 -c \"" code "\"")
#define PARQUET       PIPE("duckdb -csv -c \"select * from 'FILE'\"")
#define PANDAS(function)                                                                           \
    PYTHON("import pandas, sys; pandas." function "('FILE').to_csv(sys.stdout, index=False)")
#define NETWORKX(call)                                                                             \
    PYTHON("import networkx; [print(*e, sep='\\t') for e in networkx." call                        \
           ".to_directed().edges()]")
#define WRITE_LINKS                                                                                \
    "write its links as lines of two names, or as a table with the columns source and target"
#define LIST  "lists have no links, which come from the pages: WARC files, tables of a crawler"
#define PRINT "prints may be cut; "
#define GRAPHALYTICS_WAY                                                                           \
    "its .e file has the links: millrace ... --format edges BASE.e, with --format wel for "        \
    "weights, with --undirected if BASE.properties says directed = false"

#define W     "[^ \t\r\n]+"
#define B     "[ \t]+"
#define NL    "[ \t\r]*\n"
#define DAY   "[12][0-9]{3}-[01][0-9]-[0-3][0-9]"
#define CLOCK "[0-2][0-9]:[0-5][0-9]"
#define LEVEL                                                                                      \
    "(trace|debug|info|notice|warn|warning|error|fatal|critical|severe|config|fine|finest)"
#define INNER  "[[(][^][(){}]*[])]"
#define QUOTED "[bu]?('[^'\\]*'|\"[^\"\\]*\")"
#define OF_PAGES                                                                                   \
    "(page[ _]?)?title([ _-]1)?|h1(-1)?|name|text|description|meta[ _]description|snippet|"        \
    "keywords|date|lastmod|last[ _-]?modified|changefreq|priority|time|timestamp|"                 \
    "(crawl|fetch)(ed)?[ _]?(at|time|date)?|status([ _]?code)?|code|size|length|words|lang|"       \
    "language|(content|mime)[ _-]?type|mime"
#define IRI             "<?([^>[:blank:]]*)>?" /* for sed */
#define DIMACS_COMMENTS "^(([#%][^\n]*|c([ \t\r][^\n]*)?|[ \t\r]*)\n)*"

#define NS(n) "(" B "[0-9]+){" #n "}"
#define FEW   "[0-9]+" B "(0|1" NS(1) ")" /* GraphChi: a vertex, how many neighbours, these */
#define MANY  "[0-9]+" B "(2" NS(2) "|3" NS(3) "|4" NS(4) "|5" NS(5) "|6" NS(6) ")"

static const struct input_kind kinds[] = {
    {POINTER, "v", "^version https://git-lfs\\.github\\.com/spec/",
     "a pointer of Git LFS, and not the file itself", "get the file: git lfs pull"},
    {DATA, "\xfd", "^\xfd\x37zXZ", "xz data", PIPE("xz -dc 'FILE'")},
    {DATA, "\x04", "^\x04\x22\x4d\x18", "lz4 data", PIPE("lz4 -dc 'FILE'")},
    /* Two bytes might begin pairs of numbers; the third one says 16 bits, as compress writes. */
    {DATA, "\x1f", "^\x1f\x9d\x90", "compress (.Z) data", PIPE("gzip -dc 'FILE'")},
    {DATA, "7", "^7z\xbc\xaf\x27\x1c", "7z data", PIPE("7z x -so 'FILE'")},
    {DATA, "B", "^BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)", "bzip2 data",
     PIPE("bzip2 -dc 'FILE'")},
    {TAR, NULL, NULL, "a tar archive",
     PIPE("tar -xOf 'FILE' MEMBER") ", for one that tar -tf 'FILE' lists"},
    {DATA, "P", "^PAR1", "Parquet data without the suffix .parquet", PARQUET},
    {DATA, "O", "^ORC", "ORC data", PANDAS("read_orc")},
    {DATA, "A", "^ARROW1", "Arrow data", PANDAS("read_feather")},
    {DATA, "F", "^FEA1", "Feather data", PANDAS("read_feather")},
    {DATA, "\x89", "^\x89HDF\r\n\x1a\n", "HDF5 data", PANDAS("read_hdf")},
    {DATA, "\xd0", "^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", PANDAS("read_excel")},
    {DATA, "S", "^SQLite format 3", "an SQLite database",
     PIPE("sqlite3 -csv 'FILE' 'select source, target from links'")},
    {MEMBER, NULL, "^mimetype$", "an OpenDocument sheet", PANDAS("read_excel")},
    {MEMBER, NULL, "^(\\[Content_Types\\]\\.xml$|_rels/|docProps/|xl/)", "an Excel workbook",
     PANDAS("read_excel")},
    {MEMBER, NULL, "^(indices|row)\\.npy$", "a sparse matrix of SciPy",
     PYTHON("import scipy.io, scipy.sparse, sys; "
            "scipy.io.mmwrite(sys.stdout.buffer, scipy.sparse.load_npz('FILE'))")},
    {MEMBER, NULL, "\\.npy$", "an archive of NumPy's arrays",
     "take the array of the links out: unzip -p 'FILE' 'MEMBER' > links.npy && millrace ... "
     "links.npy; unzip -l 'FILE' lists its arrays"},
    {MEMBER, NULL,
     "^(archive/[^/]*\\.warc|indexes/index\\.|pages/"
     "(extraP|p)ages\\.jsonl|datapackage|fuzzy\\.json)",
     "a WACZ archive", PIPE("unzip -p 'FILE' 'archive/*'")},
    {MEMBER, NULL, "", "a zip archive",
     PIPE("unzip -p 'FILE' 'MEMBER'") "; unzip -l 'FILE' lists its files"},
    {GALOIS, NULL, NULL, "a graph of Galois (.gr)",
     "python3 -c 'import struct as s;d=open(0,\"rb\").read();v,w,n,m=s.unpack_from(\"<4Q\",d);"
     "e=(0,)+s.unpack_from(\"<%dQ\"%n,d,32);t=s.unpack_from(\"<%d\"%m+\" IQ\"[v],d,32+8*n);"
     "[print(v,t[i])for v in range(n)for i in range(e[v],e[v+1])]' < 'FILE' | millrace ... "
     "--format edges -"},
    {GBBS, NULL, NULL, "a binary graph of GBBS",
     "python3 -c 'import struct as s;d=open(0,\"rb\").read();n,m=s.unpack_from(\"<2Q\",d);"
     "k=(len(d)-32-8*n)//(4*m);o=s.unpack_from(\"<%dQ\"%(n+1),d,24);t=s.unpack_from(\"<%dI\"%(k*m),"
     "d,32+8*n);[print(v,t[k*i])for v in range(n)for i in range(o[v],o[v+1])]' < 'FILE' | millrace "
     "... --format edges -"},
    {GBBS_COMPRESSED, NULL, NULL, "a compressed graph of GBBS",
     "give the text that it was made of, an AdjacencyGraph or lines of two numbers"},

    {HEAD, "abfimnstuABFIMNSTU",
     "(?i)^(access denied|bad (request|gateway)|forbidden|internal server error|moved permanently|"
     "not found|service unavailable|too many requests|unauthorized)[.]?[ \t\r\n]*$",
     "what a web server says in place of a file", "get the file again"},

    /* Dumps and logs of crawlers and programs */
    {FIRST, NULL, "^(Url,Status code,|[^\n]+\tVersion: [^\n]*\nStatus: )", NULL,
     MR_CRAWLDB_REFUSAL},
    {FIRST, "0123456789abcdef",
     "^[0-9a-f]{16}" B "([0-9]+" B ")?[^ \t\n]+://" W B "[0-9.]+" B "[0-9.]+" B, NULL,
     "has the pages of Aduana's database and no links; page_db_dump links writes these, and "
     "--names takes this file beside them"},
    {HEAD, "-[(<12acdefijmnostwACDEFIJMNOSTW",
     "(?i)^(--" DAY " " CLOCK "|[[(]?" DAY "[T ]" CLOCK "[^ \t\n]*(" B W "){0,4}" B "[[(<]*" LEVEL
     "[^a-z0-9]|[[(<]?" LEVEL "[])>]?(:[^/ \t\n]+:| ?: | *[[(]?" DAY ")|"
     "[a-z]{3} [ 0-9][0-9] " CLOCK ":[0-9]{2} |[a-z]{3} [0-9]{1,2}, [0-9]{4} [0-9]{1,2}:)",
     "a log", "give the file that has the links (docs/crawl.md has those of crawlers)"},
    {FIRST, NULL,
     "^" W " " W " " W " \\[[0-3][0-9]/[A-Z][a-z]{2}/[0-9]{4}:", "a log of a web server", LIST},
    {FIRST, "12dt", "^(" W B ")?discovered" B "queued" B "downloaded|^" DAY "T" CLOCK W B "CRAWL ",
     "Heritrix's progress-statistics.log", "its crawl.log has links"},
    {FIRST, "12", "^" DAY "T" CLOCK W B "([a-z]+:" W "|n/a|null)" B "\"",
     "Heritrix's uri-errors.log", "its crawl.log has links"},
    {FIRST, NULL, "^[^\t\n]+[ \t][0-9]{14}\t[^\t\n]+\\.gz\t[0-9]+\t[0-9]+",
     "the index of an index of captures (cluster.idx)", LIST},
    {FIRST, "abcdefghijklmnopqrstuvwxyz",
     "^([a-z]+://" W "\r?\n)*[a-z]+://" W "\t[A-Za-z0-9_.-]+=[^\t\n]*[\t\r\n]",
     "a list of seeds for Nutch's injector", LIST},
    {FIRST, "\"ulpaULPA",
     "(?i)^\"?(url|uri|loc|page|page[ _]?url|address)\"?([,;\t|]\"?(" OF_PAGES ")\"?)+" NL,
     "a list of pages with what they are", LIST},

    {EVERY, "0123456789abcdef",
     "^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}) [ *][^ \t]",
     "a list of checksums", LIST},
    {FIRST, "1:", "^(127\\.0\\.0\\.1|::1)" B "(localhost|ip6-)", "a list of the addresses of hosts",
     LIST},

    /* Databases and printed tables */
    {FIRST, "cdairlubspCDAIRLUBSP",
     "(?i)^(((create|drop|alter)" B "(table|database|schema|index|type|sequence|view|extension)|"
     "insert" B "into|replace" B "into|(un)?lock" B "tables|pragma)[^\n\t]*\n?[^\n\t]*[(;]|"
     "((begin|start)( transaction)? *|set [^;\n]*=[^;\n]*|use [^;\n\t ]*|copy [^;\n]* from "
     "stdin[^;\n]*);" NL ")",
     "an SQL dump",
     "load it into a database, and write the two columns of its links as CSV there; "
     "docs/wikipedia.md has a script for those of Wikipedia"},
    {FIRST, NULL, "^([^\n]*\n){0,3}[-+|: \t]*(--[+|]|[+|] ?:?--)[-+|: \t]*\r?(\n|$)",
     "a table with lines drawn between its rows", "export it as CSV (psql --csv)"},
    {HEAD, 0, "^[^\n]*\n-+([ \t]+-+)+[ \t]*\r?(\n|$)", "a table with lines drawn between its rows",
     "export it as CSV (sqlite3 -csv)"},
    {HEAD, " \t",
     "^" B W "(" B W NL "[01]" B W B W "|" B W B W NL "[01]" B W B W B W ")[ \t\r]*(\n[12]" B
     "|\n?$)",
     "a printed data frame", PRINT "write it with to_csv(FILE, index=False)"},
    {HEAD, "s\xe2", "^(shape: \\(|\u250c|\u256d|\u2554)", "a printed data frame",
     PRINT "write it as CSV"},
    {FIRST, "<(", "^(<[^\n]*sparse (matrix|array) |\\([0-9]+, [0-9]+\\)\t)",
     "a printed sparse matrix", PRINT "write it with scipy.io.mmwrite"},
    {FIRST, "at[", "^((array|tensor)\\(\\[|\\[\\[? *-?[0-9.]+ +-?[0-9.]+[] ])", "a printed array",
     PRINT "write it with numpy.save"},
    {FIRST, "EIMNO", "^[A-Za-z]*(Edge|Node)[A-Za-z]*View\\(", "edges as networkx prints them",
     PRINT "write them with networkx.write_edgelist(G, FILE, data=False)"},

    /* Rows and objects as programs print them */
    {EVERY, "E", "^Edge\\([^,]+,[^,]+,.*\\)$", "edges as Spark prints them",
     "sed 's/^Edge(//; s/)$//' 'FILE' | millrace ... --columns 1,2 -"},
    {EVERY, "R", "^Row\\(.*\\)$", "rows as Spark prints them",
     PYTHON("import ast, json; [print(json.dumps({k.arg: ast.literal_eval(k.value) for k in "
            "ast.parse(l.strip(), mode='eval').body.keywords})) for l in open('FILE')]")},
    {EVERY, "{", "^\\{ *[bu]?'.*\\},?$", "objects as Python prints them",
     PYTHON("import ast, json; [print(json.dumps(ast.literal_eval(l.strip(' ,\\n')))) for l in "
            "open('FILE')]")},
    {EVERY, "[(", "^[[(] *" QUOTED "( *, *(" QUOTED "|-?[0-9.]+))+,? *[])],?$",
     "rows as Python prints them",
     PYTHON("import ast; [print(*ast.literal_eval(l.strip(' ,\\n')), sep='\\t') for l in "
            "open('FILE')]")},
    {EVERY, "[({", "^[[({][^]['\"(){}]*,[^]['\"(){}]*[])}],?$", "links in brackets",
     "sed -E 's/^[[({]//; s/[])}],?$//' 'FILE' | millrace ... -"},
    {FIRST, "[", "^\\[[ \t\r\n]*" INNER "[ \t\r\n]*(,[ \t\r\n]*" INNER "|\\][ \t\r\n]*$)",
     "a list of lists",
     "if each of these is a link, " PYTHON(
         "import ast; [print(*t, sep='\\t') for t in ast.literal_eval(open('FILE').read())]")},
    {EVERY, "[(", "^[[(][^])]*[ \t,;|].*[])],?$", "rows in brackets", WRITE_LINKS},

    /* Languages for graphs */
    {FIRST, ">", "^>>sparse6<<", "sparse6", NETWORKX("read_sparse6('FILE')")},
    {FIRST, ">", "^>>graph6<<", "graph6", NETWORKX("read_graph6('FILE')")},
    {FIRST, ">", "^>>digraph6<<", "digraph6", WRITE_LINKS},
    {FIRST, "*", "(?i)^\\*(vertices|network|arcs|edges|arcslist|edgeslist|matrix)[ \t\r\n:]",
     "Pajek",
     "awk '/^\\*/ {k = tolower($1); sub(/[:\\r].*/, \"\", k); next} k == \"*arcs\" {print $1, $2} "
     "k == \"*edges\" {print $1, $2; print $2, $1} k ~ /slist$/ {for (i = 2; i <= NF; i++) "
     "{print $1, $i; if (k ~ /edges/) print $i, $1}}' 'FILE' | millrace ... -"},
    {FIRST, "sdgSDG", "(?i)^(strict" B ")?(di)?graph(" B "(\"[^\"]*\"|[^ \t\r\n{]+))?[ \t\r\n]*\\{",
     "GraphViz",
     "gvpr 'E {print($.tail.name, \"\\t\", $.head.name); if (!isDirect($G)) print($.head.name, "
     "\"\\t\", $.tail.name)}' 'FILE' | millrace ... -"},
    {FIRST, "cvdgCVDG", "(?i)^((creator|version|comment|date)" B "[^\n]*\n)*graph[ \t\r\n]*\\[",
     "GML", NETWORKX("read_gml('FILE', label='id')")},
    {EVERY, "<_",
     "^(<[^>]*>|_:" W ")" B "<[^>]*>" B "(<[^>]*>|_:" W "|\".*\"[^ \t]*)(" B "<[^>]*>)? *\\.$",
     "RDF (N-Triples)",
     "sed -E '/\"/d; s/^" IRI "[[:blank:]]+<[^>]*>[[:blank:]]+" IRI ".*/\\1 \\2/' 'FILE' | "
     "millrace ... -"},
    {FIRST, "<@pbPB",
     "(?i)^(<[a-z][a-z0-9+.-]*:[^>\n]*>|@prefix|@base|prefix" B "[^ \n]*: *<|base" B "<)", "RDF",
     "convert it to N-Triples (rapper -i guess -o ntriples)"},
    {FIRST, "<", "(?i)^<(.*<)?graphml[ \t\r\n>]", "GraphML", NETWORKX("read_graphml('FILE')")},
    {FIRST, "<", "(?i)^<(.*<)?gexf[ \t\r\n>]", "GEXF", NETWORKX("read_gexf('FILE')")},
    {FIRST, "<", "(?i)^<(.*<)?(urlset|sitemapindex)[ \t\r\n>]", "a sitemap", LIST},
    {FIRST, "<", "^<[^@\t\n]*(\n|$)", "XML or HTML", WRITE_LINKS}, /* a tab or @: names */
    {FIRST, "neNE", "(?i)^(node|edge)def *>", "GDF",
     "awk 'e {print} /^edgedef/ {e = 1}' 'FILE' | millrace ... --columns 1,2 -, with --undirected "
     "unless it has a column directed"},
    {HEAD, "#", "^(#" B W NL "(" W NL "|[^ \t\r\n]*[^-0-9. \t\r\n]" W B "[-+0-9.e]+" NL ")+){2}",
     "LGL",
     "awk '{sub(/\\r$/, \"\")} /^#/ {s = $2; next} NF {print s, $1}' 'FILE' | millrace ... "
     "--undirected -"},
    {HEAD, "#%cp \t\r\n", DIMACS_COMMENTS "p" B "(sp|max|min|asn)" B "[0-9]", "DIMACS",
     "sed -n 's/^a[[:blank:]]//p' 'FILE' | millrace ... --format edges -"},
    {HEAD, "#%cp \t\r\n", DIMACS_COMMENTS "p" B W B "[0-9]+" B "[0-9]", "DIMACS",
     "sed -n 's/^e[[:blank:]]//p; /^[0-9]/p' 'FILE' | millrace ... --undirected -"},
    {FIRST, "AW", "^(Weighted)?AdjacencyGraph[ \t\r\n]", "Ligra's adjacency graph",
     "tr -s '[:space:]' '\\n' < 'FILE' | awk 'NR==2{n=$1} NR==3{m=$1} NR>3&&NR<n+4{o[NR-4]=$1} "
     "NR>n+3&&NR<n+4+m{while(v+1<n&&o[v+1]<=NR-n-4)v++;print v+0,$1}' | millrace ... --format "
     "edges -"},
    {FIRST, "g", "^graph\\.[^ \t\r\n=]*\\.vertex-file", "LDBC Graphalytics", GRAPHALYTICS_WAY},
    {TWIN, NULL, NULL, "LDBC Graphalytics", GRAPHALYTICS_WAY},
    {PAGES, "W", "^WARC/[0-9.]+\r?\n", NULL,
     "is a WARC file, and " PAGES_WANTED "; --fetched links takes those with links in the store"},
    {PAGES, "12", "^" DAY " " CLOCK ":[0-9]{2} \\[scrapy", NULL,
     "is a log of Scrapy, and " PAGES_WANTED
     "; sed -nE 's/.*Crawled .2[0-9]+. <GET ([^>]+)>.*/\\1/p' "
     "'FILE' prints those that were fetched"},
    {PAGES, "<", "^<(\\?xml|urlset|sitemapindex|!doctype|html|!DOCTYPE|HTML)", NULL,
     "is XML or HTML, and " PAGES_WANTED "; of a sitemap, grep -o '<loc>[^<]*' 'FILE' | sed "
     "'s/<loc>//; s/&amp;/\\&/g' prints them"},
    {SUFFIX, NULL, ".wsg", "GAPBS's weighted graph",
     "python3 -c 'import struct as s;d=open(0,\"rb\").read();"
     "n,=s.unpack_from(\"<q\",d,9);o=s.unpack_from(\"<%dq\"%(n+1),d,17);"
     "t=s.unpack_from(\"<%di\"%(2*o[n]),d,25+8*n);[print(v,*t[2*i:2*i+2])for v in "
     "range(n)for i in range(o[v],o[v+1])]' < 'FILE' | millrace ... --format wel -"},
    {SUFFIX, NULL, ".smat", "SMAT", "tail -n +2 'FILE' | millrace ... --format wel -"},
    {GUESS, " ",
     "^( {6}[0-9]| {5}[0-9]{2}| {4}[0-9]{3}| {3}[0-9]{4}|  [0-9]{5}| [0-9]{6}) " W B W NL,
     "lines counted by uniq -c", "sed -E 's/^ *[0-9]+ //' 'FILE' | millrace ... -"},
    {GUESS, NULL, "^([^#%\n][^\n]*\n)+#[ \t\r]*\n[^#\n]", "Trivial Graph Format",
     "sed '1,/^#/d' 'FILE' | millrace ... --columns 1,2 -"},
    {GUESS, "0123456789", "^(" FEW NL ")*" MANY NL "((" FEW "|" MANY ")" NL ")*$",
     "GraphChi's adjacency list",
     "awk '{for (i = 3; i <= NF; i++) print $1, $i}' 'FILE' | millrace ... --format edges -; if "
     "each line is a link, say --columns 1,2"},
};

/* ---- Matching ---- */

/* Numbers might be links. They are a header if they give the size of the file. */
static bool has_size(const struct text_sample *look, enum where where)
{
    const uint8_t *data = (const uint8_t *)look->data;
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t header[4];
    struct stat info;

    if (look->end - look->data < (ptrdiff_t)sizeof header || stat(look->path, &info) != 0) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        header[i] = mr_get_u64(data + 8 * i);
        if (header[i] > most) {
            return false;
        }
    }
    const uint64_t size = (uint64_t)info.st_size;
    if (where == GALOIS) { /* version, bytes of an edge's data, vertices, edges */
        const uint64_t id = 4 * header[0], filled = 4 * (header[3] % 2);
        const uint64_t bytes = 32 + 8 * header[2] + (id + header[1]) * header[3];
        return (header[0] == 1 || header[0] == 2) && header[1] <= 64 &&
               (size == bytes || size == bytes + filled);
    }
    /* vertices, edges, bytes of compressed lists, the first offset */
    const uint64_t bytes = 32 + 8 * header[0];
    return header[0] > 0 && header[1] > 0 && header[3] == 0 &&
           (where == GBBS_COMPRESSED
                ? size == bytes + 4 * header[0] + header[2]
                : size == bytes + 4 * header[1] || size == bytes + 8 * header[1]);
}

/* No control characters. Data that other programs read may have none at the beginning, and no line
 * ends either. */
static bool is_text(const struct text_sample *look, bool has_lines)
{
    const char *at = look->data;

    if (has_lines && memchr(at, '\n', (size_t)(look->end - at)) == NULL) {
        return false;
    }
    for (; at < look->end && at < look->data + TEXT_BYTES; at++) {
        if ((unsigned char)*at < ' ' && memchr("\t\n\r\f", *at, 4) == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_found(const regex_t *regex, const char *from, const char *to)
{
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)(to - from)};
    return regexec(regex, from, 0, &range, REG_STARTEND) == 0;
}

/* Do all lines fit? A header need not. */
static bool do_lines_fit(const struct text_sample *look, const regex_t *regex, bool has_header)
{
    struct lines lines = begin_lines(look);
    const char *line, *end;
    unsigned n_fit = 0;

    for (unsigned n = 0; n < LOOK_LINES && next_line(&lines, &line, &end); n++) {
        const bool fits = is_found(regex, line, end);
        if (!fits && (n > 0 || !has_header)) {
            return false;
        }
        n_fit += fits;
    }
    return n_fit > 0;
}

/* The name of the first file in a zip archive, behind folders. Returns its length; 0: none. */
static size_t first_member(const struct text_sample *look, const char **name)
{
    size_t n = 0, more = 0;

    for (const char *at = look->data; n == 0 || (*name)[n - 1] == '/'; at = *name + n + more) {
        if (look->end - at <= ZIP_NAME_AT || memcmp(at, "PK\x03\x04", 4) != 0) {
            return 0;
        }
        n = mr_get_u16((const uint8_t *)at + 26);
        more = mr_get_u16((const uint8_t *)at + 28);
        *name = at + ZIP_NAME_AT;
        if (n == 0 || (size_t)(look->end - *name) < n + more) {
            return 0;
        }
    }
    return n;
}

/* Compiles a mark. If glibc runs out of memory after it has made room for more states than the
 * pattern has bytes, it frees some of them twice (re_dfa_add_node). The set of zeros, none of which
 * matches, lengthens the pattern so that there is room. */
static bool compile(const char *mark, regex_t *regex)
{
    const bool ignores_case = strncmp(mark, "(?i)", 4) == 0;
    char pattern[2048];

    (void)snprintf(pattern, sizeof pattern, "[%0512d]{0}%s", 0, mark + (ignores_case ? 4 : 0));
    return regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB | (ignores_case ? REG_ICASE : 0)) == 0;
}

/* Looks for the mark of a kind. To compile one takes 10 to 100 us, so the first byte comes first.
 */
static enum mr_status look_for(const struct text_sample *look, const struct input_kind *kind,
                               bool *is_it, struct mr_error *err)
{
    const bool is_line = kind->where >= FIRST && kind->where <= BELOW;
    const char *at = is_line ? look->first : look->data, *end = look->end;
    regex_t regex;

    if (kind->where == MEMBER) {
        const size_t bytes = first_member(look, &at);
        end = at + bytes;
    }
    if (at == end || (kind->begin != NULL && strchr(kind->begin, *at) == NULL)) {
        return MR_OK;
    }
    if (!compile(kind->mark, &regex)) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a look at %s", look->path);
    }
    *is_it = kind->where == EVERY || kind->where == BELOW
                 ? do_lines_fit(look, &regex, kind->where == BELOW)
                 : is_found(&regex, at, end);
    regfree(&regex);
    return MR_OK;
}

static enum mr_status is_kind(const struct text_sample *look, const struct input_kind *kind,
                              bool *is_it, struct mr_error *err)
{
    switch (kind->where) {
    case TAR:
        *is_it = look->end - look->data > TAR_MARK_AT &&
                 begins(look->data + TAR_MARK_AT, look->end, "ustar") && !look->is_text;
        return MR_OK;
    case GALOIS:
    case GBBS:
    case GBBS_COMPRESSED:
        *is_it = has_size(look, kind->where);
        return MR_OK;
    case SUFFIX:
        *is_it = mr_output_has_suffix(look->path, kind->mark);
        return MR_OK;
    case TWIN:
        *is_it = has_twin(look->path);
        return MR_OK;
    case DATA:
        return look->is_text ? MR_OK : look_for(look, kind, is_it, err);
    default:
        return kind->where <= POINTER || look->is_text ? look_for(look, kind, is_it, err) : MR_OK;
    }
}

/* ---- Messages ---- */

/* Can the name stand in quotes of a shell? */
static bool is_plain(const char *name, size_t bytes)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,+@%=:-?&#~";

    for (size_t i = 0; i < bytes; i++) {
        if (name[i] == '\0' || strchr(plain, name[i]) == NULL) {
            return false;
        }
    }
    return bytes > 0 && bytes < NAME_BYTES && name[0] != '-' && name[bytes - 1] != '/';
}

/* Writes a way out with the name of the input and that of its first file. */
static void write_way(const struct text_sample *look, const char *from, char way[WAY_BYTES])
{
    size_t n = 0;

    while (*from != '\0' && n + 1 < WAY_BYTES) {
        const bool is_member = strncmp(from, "'MEMBER'", 8) == 0;
        const char *name = look->path;
        const size_t bytes = is_member ? first_member(look, &name) : strlen(name);
        if ((is_member || strncmp(from, "'FILE'", 6) == 0) && is_plain(name, bytes) &&
            n + bytes + 3 < WAY_BYTES) {
            n += (size_t)snprintf(way + n, bytes + 3, "'%.*s'", (int)bytes, name);
            from += is_member ? 8 : 6;
        } else {
            way[n++] = *from++;
        }
    }
    way[n] = '\0';
}

static enum mr_status refuse(const struct text_sample *look, const struct input_kind *kind,
                             struct mr_error *err)
{
    char way[WAY_BYTES];

    write_way(look, kind->way_out, way);
    return kind->what == NULL ? mr_error_file(err, MR_ERROR_INPUT, look->path, 0, "%s", way)
                              : mr_error_file(err, MR_ERROR_INPUT, look->path, 0,
                                              "is %s, which is not read; %s", kind->what, way);
}

/* Refuses an input of one of the kinds from the first on, and before the last. */
static enum mr_status refuse_kinds(const struct text_sample *look, enum where first,
                                   enum where last, struct mr_error *err)
{
    /* What a mark means does not depend on the locale of the program. */
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    enum mr_status status = MR_OK;
    bool is_it = false;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == MR_OK; i++) {
        if (kinds[i].where >= first && kinds[i].where <= last) {
            status = is_kind(look, &kinds[i], &is_it, err);
            status = status == MR_OK && is_it ? refuse(look, &kinds[i], err) : status;
        }
    }
    (void)uselocale(before);
    freelocale(c);
    return status;
}

enum mr_status mr_not_links_refuse_data(const char *name, const char *data, size_t bytes,
                                        struct mr_error *err)
{
    struct text_sample look = {.path = name, .data = data, .end = data + bytes};

    if (bytes == 0) {
        return MR_OK;
    }
    look.is_text = is_text(&look, true);
    return refuse_kinds(&look, DATA, POINTER, err);
}

static enum mr_status refuse_lines(const char *path, const char *data, size_t bytes,
                                   enum where from, enum where last, struct mr_error *err)
{
    struct text_sample look = {
        .path = path, .data = data, .end = data + bytes, .first = data + bytes};
    struct lines lines = begin_lines(&look);
    const char *line_end;

    if (bytes == 0) {
        return MR_OK;
    }
    look.is_text = is_text(&look, false);
    (void)next_line(&lines, &look.first, &line_end);
    return refuse_kinds(&look, from, last, err);
}

enum mr_status mr_not_links_refuse_text(const char *path, const char *data, size_t bytes,
                                        bool is_said, struct mr_error *err)
{
    return refuse_lines(path, data, bytes, HEAD, is_said ? BELOW : TWIN, err);
}

enum mr_status mr_not_links_refuse_list(const char *path, const char *data, size_t bytes,
                                        struct mr_error *err)
{
    return refuse_lines(path, data, bytes, PAGES, PAGES, err);
}

enum mr_status mr_not_links_refuse_address(const char *path, struct mr_error *err)
{
    static const struct {
        const char *scheme, *way_out;
    } schemes[] = {
        {"http://", PIPE("curl -sSfL 'FILE'")},       {"https://", PIPE("curl -sSfL 'FILE'")},
        {"ftp://", PIPE("curl -sSfL 'FILE'")},        {"s3://", PIPE("aws s3 cp 'FILE' -")},
        {"gs://", PIPE("gcloud storage cat 'FILE'")}, {"hdfs://", PIPE("hdfs dfs -cat 'FILE'")},
    };
    const struct text_sample look = {.path = path};
    const char *const end = strstr(path, "://"), *way_out = "get the file and say its path";
    char way[WAY_BYTES];

    if (end == NULL || end == path || memchr(path, '/', (size_t)(end - path)) != NULL ||
        mr_io_exists(path)) {
        return MR_OK;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(path, schemes[i].scheme, strlen(schemes[i].scheme)) == 0) {
            way_out = schemes[i].way_out;
        }
    }
    write_way(&look, way_out, way);
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "is an address, and Millrace reads files; %s", way);
}
