/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the flags of an import, the words that they take, and the text about profiles, whose
 * rules are in formats/url/canonical.h. */
#include "cli/graph/building.h"

#include <string.h>

#include "cli/graph/graph.h"
#include "cli/program/option_table.h"

/* --format into a const struct mr_graph_format *. */
static enum mr_status parse_format(const char *text, void *format, struct mr_error *err)
{
    return mr_format_choose(text, format, err);
}

/* --columns into a struct mr_columns_wanted. */
static enum mr_status parse_columns(const char *text, void *columns, struct mr_error *err)
{
    return mr_columns_choose(text, columns, err);
}

/* --separator into a char. */
static enum mr_status parse_separator(const char *text, void *separator, struct mr_error *err)
{
    static const struct {
        const char *name, *sign;
        char separator;
    } known[] = {{"tab", "\t", '\t'},     {"tab", "\\t", '\t'}, {"comma", ",", ','},
                 {"semicolon", ";", ';'}, {"pipe", "|", '|'},   {"blank", " ", ' '}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(text, known[i].name) == 0 || strcmp(text, known[i].sign) == 0) {
            *(char *)separator = known[i].separator;
            return MR_OK;
        }
    }
    return mr_error_set(err, MR_ERROR_USAGE,
                        "must be tab, comma, semicolon, pipe or blank, or "
                        "this character in quotes");
}

/* --where into a text. */
static enum mr_status parse_where(const char *text, void *where, struct mr_error *err)
{
    const char *equals = strchr(text, '=');

    *(const char **)where = text;
    return equals != NULL && equals > text
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "must be COLUMN=VALUE");
}

/* --link-kinds into an unsigned. */
static enum mr_status parse_link_kinds(const char *text, void *kinds, struct mr_error *err)
{
    return mr_link_kinds_choose(text, kinds, err);
}

static const char *known_format(size_t index)
{
    const struct mr_graph_format *format = index > 0 ? mr_graph_format_at(index - 1) : NULL;
    return index == 0 ? "auto" : format != NULL ? format->name : NULL;
}

#define FIELD(name) offsetof(struct mr_import_options, name)
const struct mr_option mr_import_options[] = {
    {"format", 0, MR_OPTION_PARSED, FIELD(format), "FORMAT", .known = known_format,
     .parse = parse_format, .also = "type input-format from",
     .help =
         "What the input is. Crawls: urls (lines or a table of two names, also of numbers that are "
         "names, such as 007), adjacency (a page, then those it "
         "links to), jsonl (JSON lines with url and links, or from and to), nutch (dump of a "
         "linkdb or a segment), nutch-sequence (their files), warc, arc, wat, crawl-log, "
         "heritrix-pagerank, cdxj, "
         "commoncrawl (vertices, then edges). Text: edges (lines of two numbers), wel (and a "
         "weight), csv (also "
         "without a header), "
         "mtx (Matrix Market), metis, ascii-graph. Binary: bvgraph (WebGraph), sg (GAPBS), npy, "
         "and raw edges u32, u64, u32be, u64be. Default auto: by content, and by suffix where that "
         "says "
         "nothing.",
     .often = true},
    {"columns", 0, MR_OPTION_PARSED, FIELD(columns), "COLUMNS", .parse = parse_columns,
     .also = "source target src dst source-column target-column",
     .help = "Which column links to the other: source-target (the default) or target-source. Or "
             "SOURCE,TARGET or SOURCE,TARGET,WEIGHT: the columns of a table, each by its name in "
             "the header or by its number, from 1.",
     .often = true},
    {"sql", 0, MR_OPTION_OPERAND, 0, "QUERY",
     .help = "An input: the rows of a query, which DuckDB runs. Its library is opened at run time; "
             "MILLRACE_DUCKDB says where it is. A file of a list or of scores may be a query as "
             "well: sql:QUERY."},
    {"separator", 0, MR_OPTION_PARSED, FIELD(separator), "CHAR", .parse = parse_separator,
     .also = "delimiter sep delim field-separator",
     .help = "What stands between the columns of a table: tab, comma, semicolon, pipe, blank, or "
             "the character in quotes. Default: the lines decide, as 'millrace help inputs' says "
             "at its end."},
    {"where", 0, MR_OPTION_PARSED, FIELD(where), "COLUMN=VALUE", .parse = parse_where,
     .help =
         "Read only the rows of a table with this value in this column, a name of its header or a "
         "number, from 1."},
    MR_MERGE_OPTIONS(FIELD(undirected), FIELD(duplicates), FIELD(self_loops)),
    {"directed", 0, MR_OPTION_FLAG, FIELD(directed),
     .help = "Take links as they are written, also those of a file that calls itself undirected, "
             "whose links else go in both directions."},
    {"vertices", 0, MR_OPTION_COUNT, FIELD(vertices), "N", .least = 0, .most = UINT32_MAX,
     .help = "Vertices are 0 to N-1, whether a line names them or not. Default: the numbers or "
             "names that appear."},
    {"vertex-list", 0, MR_OPTION_TEXT, FIELD(vertices_from), "FILE", .file = MR_FILE_READ,
     .help = "Vertices are those listed in FILE, one per line; a link to any other is a bad line."},
    {"link-kinds", 0, MR_OPTION_PARSED, FIELD(link_kinds), "KIND,KIND,...",
     .parse = parse_link_kinds,
     .help =
         "Which links of a crawl count. By hops, in WARC files with outlinks and in crawl.log: "
         "navigation, redirect, embed, speculative (text that looks like a URL), prerequisite "
         "(robots.txt), inferred, manifest, submit. By elements, in WARC, ARC and WAT files and in "
         "tables with a column Type: "
         "a, area, form, iframe, frame, link, "
         "img; the "
         "first five are navigation, and links with rel=canonical, next or prev; other "
         "elements are embeds but for link. failed: fetches that failed, too. Default "
         "navigation,redirect."},
    {"drop-nofollow", 0, MR_OPTION_FLAG, FIELD(drop_nofollow),
     .also = "nofollow ignore-nofollow no-nofollow",
     .help = "Leave out links with rel=nofollow: of WARC, ARC and WAT files, JSON lines and tables "
             "with a column Rel, Follow or Nofollow. In HTML, "
             "also those that a page's robots rules forbid to follow.",
     .often = true},
    {"outlinks-from", 0, MR_OPTION_CHOICE, FIELD(outlinks_from), .choices = "auto|metadata|html",
     .help = "Where the links of a page in a WARC file come from: metadata are the outlinks that "
             "Heritrix writes, html is the page itself. Default auto: the HTML of a page where the "
             "archive has it, else its outlinks."},
    {"captures", 0, MR_OPTION_CHOICE, FIELD(captures), .choices = "newest|all",
     .help = "Which links of a page count that was captured several times, in WARC, ARC and WAT "
             "files, Nutch's segments and JSON lines with times: those of its newest capture, or "
             "of all. A revisit "
             "record keeps the links of the capture that it refers to. Pages without a time have "
             "the links of all. Default newest."},
    {"profile", 0, MR_OPTION_TEXT, FIELD(profile), "none|heritrix|wayback|surt",
     .help = "Which spellings of URLs are one page; surt is for CDX keys. "
             "'millrace help profiles' lists their rules. Default none: what browsers take for one "
             "URL, without the fragment. Nutch's files keep Nutch's spellings.",
     .often = true},
    {"rule", 0, MR_OPTION_TEXT, FIELD(rules), "-RULE,+RULE,...",
     .help = "Switch rules of the profile off or on, such as --rule -www."},
    {"classes", 0, MR_OPTION_CHOICE, FIELD(class_rule), .choices = "none|host|domain",
     .help = "Tell links inside a host or domain from others, so that rankings can be asked for "
             "--links internal or external. Domains are registered ones, by the public suffix "
             "list. Default none.",
     .often = true},
    {"codec", 0, MR_OPTION_PARSED, FIELD(zstd_level), "plain|zstd[:LEVEL]", .parse = mr_codec_parse,
     .help = "plain is fastest from a fast disk; zstd (LEVEL 1 to 19, 9 unless given) is smaller. "
             "Default plain."},
    {"encoding", 0, MR_OPTION_CHOICE, FIELD(encoding), .choices = "auto|keys|corners",
     .help = "How links are written: keys one by one, corners as differences between neighbouring "
             "pages. Default auto: tile by tile what a pass is predicted to be faster with."},
    {"transpose", 0, MR_OPTION_FLAG, FIELD(transpose), .also = "reverse reversed invert",
     .help = "Store every link reversed."},
    {"bad-lines", 0, MR_OPTION_CHOICE, FIELD(bad_lines), .choices = "fail|skip",
     .help = "What to do with a line that makes no sense: stop, or count it and go on. Default "
             "fail."},
    {"max-bad", 0, MR_OPTION_COUNT, FIELD(max_bad), "N", .least = 1, .most = UINT64_MAX,
     .help = "With --bad-lines skip: stop after all when there are more. Default: no limit."},
    {0}};
#undef FIELD

void mr_profile_help(FILE *out)
{
    static const char *const titles[MR_CANONICAL_PROFILES] = {
        "as browsers spell URLs (the default)",
        "the default rules of the crawler, in its order",
        "the rules of the Wayback Machine: example.com/path?query",
        "CDX keys of the surt package: com,example)/path?query",
    };

    mr_help_wrap("A profile says which spellings of a URL are one page. Every profile spells the "
                 "scheme, host and port of a URL and the slashes and dot segments of its path as "
                 "browsers do. Its rules turn every "
                 "spelling of a page into one name. The store keeps the spellings, and precedence "
                 "files have a line for each; with none the store has the one name alone. "
                 "--rule switches single rules on (+) or off (-): "
                 "--profile heritrix --rule -www,+extra-slashes.",
                 0, 0, out);
    for (int p = 0; p < MR_CANONICAL_PROFILES; p++) {
        const struct mr_canonical_rule *rules = mr_canonical_rules((enum mr_canonical_profile)p);
        (void)fprintf(out, "\n--profile %s: %s\n",
                      mr_canonical_profile_name((enum mr_canonical_profile)p), titles[p]);
        for (; rules->name != NULL; rules++) {
            const int column =
                fprintf(out, "  %c%-17s", rules->is_default ? '+' : '-', rules->name);
            mr_help_wrap(rules->help, 20, column, out);
        }
    }
}
