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
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/io/io.h"
#include "formats/stream/input.h"
#include "formats/stream/output.h"

enum {
    LOOK_LINES = 1000,
    TEXT_BYTES = 512,
    TAR_BYTES = 512, /* of a header; contents fill such blocks */
    NAME_BYTES = 256,
    WAY_BYTES = 1024,
    ZIP_NAME_AT = 30
};

/* ---- The lines of a text ---- */

struct look {
    const char *path; /* or the name for messages */
    const char *data, *end;
    const char *first; /* the first line that is neither blank nor a comment; `end`: none */
};

struct lines {
    const char *at, *end;
    bool is_whole; /* the last line may lack its end */
};

static struct lines begin_lines(const struct look *look)
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

/* Reads the whole numbers in the first `n` fields of a line. Returns the number of its fields; 0: a
 * number is missing. */
static unsigned take_numbers(const char *at, const char *end, unsigned n, uint64_t *numbers)
{
    unsigned n_fields = 0;

    while (at < end) {
        const char *const field = at;
        for (; at < end && !is_blank(*at); at++) {
        }
        if (n_fields < n && !mr_decimal_whole(field, at, &numbers[n_fields])) {
            return 0;
        }
        n_fields++;
        for (; at < end && is_blank(*at); at++) {
        }
    }
    return n_fields < n ? 0 : n_fields;
}

/* ---- Kinds that only their numbers or their path show ---- */

/* SMAT: "ROWS COLUMNS ENTRIES", then as many lines "ROW COLUMN VALUE", counted from 0. */
static bool is_smat(const struct look *look)
{
    struct lines lines = begin_lines(look);
    const bool is_named = mr_output_has_suffix(look->path, ".smat");
    const char *line, *end;
    uint64_t head[3], ends[2], n_rows = 0;

    if (!next_line(&lines, &line, &end) || take_numbers(line, end, 3, head) != 3 ||
        (head[0] != head[1] && !is_named)) {
        return false;
    }
    for (; !is_named && next_line(&lines, &line, &end); n_rows++) {
        if (take_numbers(line, end, 2, ends) != 3 || ends[0] >= head[0] || ends[1] >= head[1]) {
            return false;
        }
    }
    return is_named || (n_rows > 0 && (lines.is_whole ? n_rows == head[2] : n_rows < head[2]));
}

/* GraphChi: each line has a vertex, the number of its neighbours, and these; a line has two or
 * more. */
static bool is_graphchi(const struct look *look)
{
    struct lines lines = begin_lines(look);
    const char *line, *end;
    uint64_t head[2];
    bool is_longer = false;

    for (unsigned i = 0; i < LOOK_LINES && next_line(&lines, &line, &end); i++) {
        const unsigned n = take_numbers(line, end, 2, head);
        if (n == 0 || head[1] != n - 2) {
            return false;
        }
        is_longer |= n > 3;
    }
    return is_longer;
}

/* Graphalytics: BASE.v with the vertices beside BASE.e with the links. */
static bool is_graphalytics(const struct look *look)
{
    char other[4096]; /* no allocation, which could fail and change the answer */
    const size_t bytes = strlen(look->path);

    if (bytes < 3 || bytes >= sizeof other || look->path[bytes - 2] != '.' ||
        strchr("ve", look->path[bytes - 1]) == NULL) {
        return false;
    }
    memcpy(other, look->path, bytes + 1);
    other[bytes - 1] = other[bytes - 1] == 'v' ? 'e' : 'v';
    return mr_io_exists(look->path) && mr_io_exists(other);
}

/* ---- The table ---- */

/* Marks of the names of members and of text are extended regular expressions; with "(?i)" before
 * one, capitals do not matter. */
enum where {
    AT, /* these bytes at the beginning of data that are no text */
    AT_4, /* at byte 4 */
    AT_30,
    AT_257,
    BEGIN, /* these bytes at the beginning */
    BEGIN_AT_4,
    MEMBER, /* the name of the first file in a zip archive */
    /* The others are for inputs of links alone: */
    HEAD, /* at the beginning of the text */
    FIRST, /* at the first line that is neither blank nor a comment */
    EVERY, /* in each such line */
    BELOW, /* in each such line but the first, which may be a header */
    /* Links may look so, too: refused only if the user has not said what the input is. */
    GUESS, /* at the beginning of the text */
    SUFFIX, /* the end of the path */
    SMAT,
    GRAPHCHI,
    GRAPHALYTICS,
};

struct kind {
    enum where where;
    const char *begin; /* the first byte of such a text is one of these; NULL: any */
    const char *mark, *what; /* `what` is NULL if the way out says it */
    /* 'FILE' and 'MEMBER' become the path and the name of the first file in an archive, if these
     * can stand in quotes of a shell. */
    const char *way_out;
};

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
#define SEP   "[ \t,;|]+"
#define DAY   "[12][0-9]{3}-[01][0-9]-[0-3][0-9]"
#define CLOCK "[0-2][0-9]:[0-5][0-9]"
#define DATE                                                                                       \
    "\"?(" DAY "([T ]" CLOCK "[^ "                                                                 \
    "\t,;|\"]*)?|(19|20)[0-9]{2}[01][0-9][0-3][0-9]([0-5][0-9]){3})\"?"
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
#define DIMACS_EDGES    "sed -n 's/^e[[:blank:]]//p; /^[0-9]/p' 'FILE' | millrace ... --undirected -"

static const struct kind kinds[] = {
    {BEGIN, NULL, "version https://git-lfs.github.com/spec/",
     "a pointer of Git LFS, and not the file itself", "get the file: git lfs pull"},
    {AT, NULL, "\xfd\x37zXZ", "xz data", PIPE("xz -dc 'FILE'")},
    {AT, NULL, "\x04\x22\x4d\x18", "lz4 data", PIPE("lz4 -dc 'FILE'")},
    /* Two bytes might begin pairs of numbers; the third one says 16 bits, as compress writes. */
    {AT, NULL, "\x1f\x9d\x90", "compress (.Z) data", PIPE("gzip -dc 'FILE'")},
    {AT, NULL, "\x37\x7a\xbc\xaf\x27\x1c", "7z data", PIPE("7z x -so 'FILE'")},
    /* "BZh9" may begin a name; the magic number of a block behind it does not. */
    {BEGIN_AT_4, NULL, "1AY&SY", "bzip2 data", PIPE("bzip2 -dc 'FILE'")},
    {AT_4, NULL, "\x17\x72\x45\x38\x50\x90", "bzip2 data", PIPE("bzip2 -dc 'FILE'")},
    {AT_257, NULL, "ustar", "a tar archive",
     PIPE("tar -xOf 'FILE' 'MEMBER'") "; tar -tf 'FILE' lists its files"},
    {AT, NULL, "PAR1", "Parquet data", PARQUET},
    {AT, NULL, "ORC", "ORC data", PANDAS("read_orc")},
    {AT, NULL, "ARROW1", "Arrow data", PANDAS("read_feather")},
    {AT, NULL, "FEA1", "Feather data", PANDAS("read_feather")},
    {AT, NULL, "\x89HDF\r\n\x1a\n", "HDF5 data", PANDAS("read_hdf")},
    {AT, NULL, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", PANDAS("read_excel")},
    {AT, NULL, "SQLite format 3", "an SQLite database",
     PIPE("sqlite3 -csv 'FILE' 'select source, target from links'")},
    {AT_30, NULL, "mimetypeapplication/vnd.oasis.", "an OpenDocument sheet", PANDAS("read_excel")},
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
    {BELOW, NULL,
     "(?i)^([^ \t,;|\"0-9][^ \t,;|]*|\"[^\"]*\")" SEP DATE
     "([ \t,;|]*(always|hourly|daily|weekly|monthly|yearly|never)?[ \t,;|]*[0-9.]*)$",
     "a list of pages with dates", LIST},
    {EVERY, "\"12", "^" DATE SEP "\"?[^ \t,;|0-9][^ \t,;|]*$", "a list of pages with dates", LIST},
    {FIRST, "\"ulpaULPA",
     "(?i)^\"?(url|uri|loc|page|page[ _]?url|address)\"?([,;\t|]\"?(" OF_PAGES ")\"?)+" NL,
     "a list of pages with what they are", LIST},

    /* Databases and printed tables */
    {FIRST, "cdairlubspCDAIRLUBSP",
     "(?i)^(((create|drop|alter)" B "(table|database|schema|index|type|sequence|view|extension)|"
     "insert" B "into|replace" B "into|(un)?lock" B "tables|pragma)[^\n\t]*\n?[^\n\t]*[(;]|"
     "((begin|start)( transaction)? *|set [^;\n]*=[^;\n]*|use [^;\n\t ]*|copy [^;\n]* from "
     "stdin[^;\n]*);" NL ")",
     "an SQL dump", "load it into a database, and write the two columns of its links as CSV there"},
    {FIRST, NULL, "^([^\n]*\n){0,3}[-+|: \t]*(--[+|]|[+|] ?:?--)[-+|: \t]*\r?(\n|$)",
     "a table with lines drawn between its rows", "export it as CSV (psql --csv)"},
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
    {EVERY, "[(", "^[[(].*[])],?$", "rows in brackets", WRITE_LINKS},

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
    {FIRST, "<", "^<", "XML or HTML", WRITE_LINKS},
    {FIRST, "neNE", "(?i)^(node|edge)def *>", "GDF",
     "awk 'e {print} /^edgedef/ {e = 1}' 'FILE' | millrace ... --columns 1,2 -, with --undirected "
     "unless it has a column directed"},
    {HEAD, "#", "^(#" B W NL "(" W NL "|[^ \t\r\n]*[^-0-9. \t\r\n]" W B "[-+0-9.e]+" NL ")+){2}",
     "LGL",
     "awk '{sub(/\\r$/, \"\")} /^#/ {s = $2; next} NF {print s, $1}' 'FILE' | millrace ... "
     "--undirected -"},
    {HEAD, "#%cp \t\r\n", DIMACS_COMMENTS "p" B "min" B "[0-9]+" B "[0-9]+", "DIMACS",
     "sed -n 's/^a[[:blank:]]//p' 'FILE' | millrace ... --format edges -"},
    {HEAD, "#%cp \t\r\n", DIMACS_COMMENTS "p" B "(sp|max|asn)" B "[0-9]+" B "[0-9]+", "DIMACS",
     "sed -n 's/^a[[:blank:]]//p' 'FILE' | millrace ... --format wel -"},
    {HEAD, "#%cp \t\r\n", DIMACS_COMMENTS "p" B W B "[0-9]+" B "[0-9]+", "DIMACS", DIMACS_EDGES},
    {FIRST, "A", "^AdjacencyGraph[ \t\r\n]", "Ligra's adjacency graph",
     "tr -s '[:space:]' '\\n' < 'FILE' | awk 'NR==2{n=$1} NR==3{m=$1} NR>3&&NR<n+4{o[NR-4]=$1} "
     "NR>n+3&&NR<n+4+m{while(v+1<n&&o[v+1]<=NR-n-4)v++;print v+0,$1}' | millrace ... --format "
     "edges -"},
    {FIRST, "W", "^WeightedAdjacencyGraph[ \t\r\n]", "Ligra's adjacency graph",
     "tr -s '[:space:]' '\\n' < 'FILE' | awk 'NR==2{n=$1} NR==3{m=$1} NR>3&&NR<n+4{o[NR-4]=$1} "
     "NR>n+3&&NR<n+4+m{t[NR-n-4]=$1} NR>n+3+m{i=NR-n-m-4;while(v+1<n&&o[v+1]<=i)v++;"
     "print v+0,t[i],$1}' | millrace ... --format wel -"},
    {FIRST, "g", "^graph\\.[^ \t\r\n=]*\\.vertex-file", "LDBC Graphalytics", GRAPHALYTICS_WAY},
    {GRAPHALYTICS, NULL, NULL, "LDBC Graphalytics", GRAPHALYTICS_WAY},
    {GUESS, "#%ca \t\r\n", DIMACS_COMMENTS "a" B "[0-9]+" B "[0-9]+", "DIMACS",
     "sed -n 's/^a[[:blank:]]//p' 'FILE' | millrace ... --format edges -; if the letter is a page, "
     "say --columns 1,2"},
    {GUESS, "#%ce \t\r\n", DIMACS_COMMENTS "e" B "[0-9]+" B "[0-9]+", "DIMACS",
     DIMACS_EDGES "; if the letter is a page, say --columns 1,2"},
    {SUFFIX, NULL, ".wsg", "GAPBS's weighted graph",
     "python3 -c 'import struct as s;d=open(0,\"rb\").read();"
     "n,=s.unpack_from(\"<q\",d,9);o=s.unpack_from(\"<%dq\"%(n+1),d,17);"
     "t=s.unpack_from(\"<%di\"%(2*o[n]),d,25+8*n);[print(v,*t[2*i:2*i+2])for v in "
     "range(n)for i in range(o[v],o[v+1])]' < 'FILE' | millrace ... --format wel -"},
    {SMAT, NULL, NULL, "SMAT",
     "tail -n +2 'FILE' | millrace ... --format wel -; if its first line is a link, say --format "
     "edges"},
    {GRAPHCHI, NULL, NULL, "GraphChi's adjacency list",
     "awk '{for (i = 3; i <= NF; i++) print $1, $i}' 'FILE' | millrace ... --format edges -; if "
     "each line is a link, say --columns 1,2"},
    {SUFFIX, NULL, ".s6", "sparse6", NETWORKX("read_sparse6('FILE')")},
    {SUFFIX, NULL, ".g6", "graph6", NETWORKX("read_graph6('FILE')")},
    {SUFFIX, NULL, ".d6", "digraph6", WRITE_LINKS},
};

/* ---- Matching ---- */

/* Lines without control characters. */
static bool is_text(const struct look *look)
{
    const char *at = look->data;
    for (; at < look->end && at < look->data + TEXT_BYTES; at++) {
        if ((unsigned char)*at < ' ' && memchr("\t\n\r\f", *at, 4) == NULL) {
            return false;
        }
    }
    return at > look->data;
}

static bool is_found(const regex_t *regex, const char *from, const char *to)
{
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)(to - from)};
    return regexec(regex, from, 0, &range, REG_STARTEND) == 0;
}

/* Do all lines fit? A header need not. */
static bool do_lines_fit(const struct look *look, const regex_t *regex, bool has_header)
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

/* The name of the first file in a zip or tar archive, behind folders and headers of pax. Returns
 * its length; 0: there is none. */
static size_t first_member(const struct look *look, const char **name)
{
    const char *at = look->data;

    while (begins(at, look->end, "PK\x03\x04") && look->end - at > ZIP_NAME_AT) {
        const uint8_t *const head = (const uint8_t *)at;
        const size_t n = mr_get_u16(head + 26), more = mr_get_u16(head + 28);
        *name = at + ZIP_NAME_AT;
        if (n == 0 || (size_t)(look->end - *name) < n + more) {
            return 0;
        }
        if ((*name)[n - 1] != '/') {
            return n;
        }
        at = *name + n + more;
    }
    while (look->end - at >= TAR_BYTES) {
        const uint64_t bytes = strtoul(at + 124, NULL, 8); /* a NUL or a blank follows */
        if (memchr("xg5", at[156], 3) == NULL) {
            *name = at;
            return at[156] == '0' || at[156] == '\0' ? strnlen(at, 100) : 0;
        }
        if (bytes > (uint64_t)(look->end - at)) {
            break;
        }
        const uint64_t whole = TAR_BYTES + (bytes + TAR_BYTES - 1) / TAR_BYTES * TAR_BYTES;
        at = whole < (uint64_t)(look->end - at) ? at + whole : look->end;
    }
    return 0;
}

/* Looks for the mark of a kind, a regular expression. */
static enum mr_status look_for(const struct look *look, const struct kind *kind, bool *is_it,
                               struct mr_error *err)
{
    const bool ignores_case = strncmp(kind->mark, "(?i)", 4) == 0;
    const char *name;
    size_t bytes;
    regex_t regex;

    if (regcomp(&regex, kind->mark + (ignores_case ? 4 : 0),
                REG_EXTENDED | REG_NOSUB | (ignores_case ? REG_ICASE : 0)) != 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a look at %s", look->path);
    }
    switch (kind->where) {
    case MEMBER:
        bytes = first_member(look, &name);
        *is_it = is_found(&regex, name, name + bytes);
        break;
    case FIRST:
        *is_it = look->first < look->end && is_found(&regex, look->first, look->end);
        break;
    case EVERY:
    case BELOW:
        *is_it = do_lines_fit(look, &regex, kind->where == BELOW);
        break;
    default:
        *is_it = is_found(&regex, look->data, look->end);
    }
    regfree(&regex);
    return MR_OK;
}

/* Most texts begin otherwise, and to compile a mark takes 10 to 100 us. */
static bool may_begin(const struct look *look, const struct kind *kind)
{
    const char *const at = kind->where == HEAD || kind->where == GUESS ? look->data : look->first;
    return kind->begin == NULL ||
           (at < look->end && *at != '\0' && strchr(kind->begin, *at) != NULL);
}

static enum mr_status is_kind(const struct look *look, const struct kind *kind, bool *is_it,
                              struct mr_error *err)
{
    static const uint16_t offsets[] = {
        [AT] = 0, [AT_4] = 4, [AT_30] = 30, [AT_257] = 257, [BEGIN] = 0, [BEGIN_AT_4] = 4};
    const size_t bytes = (size_t)(look->end - look->data);

    if (kind->where <= BEGIN_AT_4) {
        *is_it =
            bytes > offsets[kind->where] &&
            begins(look->data + offsets[kind->where], look->end, kind->mark) &&
            (kind->where >= BEGIN || !is_text(look) || memchr(look->data, '\n', bytes) == NULL);
        return MR_OK;
    }
    switch (kind->where) {
    case MEMBER:
        return begins(look->data, look->end, "PK\x03\x04") ? look_for(look, kind, is_it, err)
                                                           : MR_OK;
    case SUFFIX:
        *is_it = mr_output_has_suffix(look->path, kind->mark);
        return MR_OK;
    case SMAT:
        *is_it = is_text(look) && is_smat(look);
        return MR_OK;
    case GRAPHCHI:
        *is_it = is_text(look) && is_graphchi(look);
        return MR_OK;
    case GRAPHALYTICS:
        *is_it = is_graphalytics(look);
        return MR_OK;
    default:
        return is_text(look) && may_begin(look, kind) ? look_for(look, kind, is_it, err) : MR_OK;
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
static void write_way(const struct look *look, const char *from, char way[WAY_BYTES])
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

static enum mr_status refuse(const struct look *look, const struct kind *kind, struct mr_error *err)
{
    char way[WAY_BYTES];

    write_way(look, kind->way_out, way);
    return kind->what == NULL ? mr_error_file(err, MR_ERROR_INPUT, look->path, 0, "%s", way)
                              : mr_error_file(err, MR_ERROR_INPUT, look->path, 0,
                                              "is %s, which is not read; %s", kind->what, way);
}

/* Refuses an input of one of the kinds from the first on, and before the last. */
static enum mr_status refuse_kinds(const struct look *look, enum where first, enum where last,
                                   struct mr_error *err)
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
    const struct look look = {.path = name, .data = data, .end = data + bytes};
    return refuse_kinds(&look, AT, MEMBER, err);
}

enum mr_status mr_not_links_refuse_text(const char *path, const char *data, size_t bytes,
                                        bool is_said, struct mr_error *err)
{
    struct look look = {.path = path, .data = data, .end = data + bytes, .first = data + bytes};
    struct lines lines = begin_lines(&look);
    const char *line_end;

    if (bytes == 0) {
        return MR_OK;
    }
    (void)next_line(&lines, &look.first, &line_end);
    return refuse_kinds(&look, HEAD, is_said ? BELOW : GRAPHALYTICS, err);
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
    const struct look look = {.path = path};
    const char *const end = strstr(path, "://"), *way_out = "get the file and say its path";
    char way[WAY_BYTES];

    if (end == NULL || end == path || memchr(path, '/', (size_t)(end - path)) != NULL ||
        mr_io_exists(path)) {
        return MR_OK;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(path, schemes[i].scheme, strlen(schemes[i].scheme)) == 0) {
            way_out = strlen(end) > 8 && strcmp(path + strlen(path) - 8, ".parquet") == 0
                          ? PARQUET
                          : schemes[i].way_out;
        }
    }
    write_way(&look, way_out, way);
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "is an address, and Millrace reads files; %s", way);
}
