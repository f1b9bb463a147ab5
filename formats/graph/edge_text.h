/* SPDX-License-Identifier: Apache-2.0 */
/* Reads edge lists of numbers, and vertex lists, into a builder.
 *
 * Edge lists are lines of two endpoints. Further columns are ignored and counted.
 *
 * Numbers (ids SPARSE or DENSE): unsigned decimal below 2^64, separated by blanks, tabs and at most
 * one comma ("1 2", "1<TAB>2", "1,2", "1 , 2"). '#' or '%' begins a comment anywhere on a line.
 * These rules cover SNAP, GAP .el and CSV.
 *
 * Blank lines are skipped. CR LF is a line end. Any other line is a bad line. */
#ifndef MR_FORMATS_GRAPH_EDGE_TEXT_H
#define MR_FORMATS_GRAPH_EDGE_TEXT_H

#include "engine/builder/build.h"
#include "formats/graph/link_kinds.h"
#include "formats/stream/input.h"

enum mr_edge_columns { MR_COLUMNS_SOURCE_TARGET, MR_COLUMNS_TARGET_SOURCE };
/* Where the links of a page in a WARC file come from: the crawler's metadata, the page itself, or
 * the metadata where the page is not there. */
enum mr_outlinks { MR_OUTLINKS_AUTO, MR_OUTLINKS_METADATA, MR_OUTLINKS_HTML };
enum mr_bad_lines { MR_BAD_LINES_FAIL, MR_BAD_LINES_SKIP };

#define MR_NAME_IS_LONG "a name is longer than 65536 bytes"
/* Advice in the message about a bad line: for a file that has good lines, and for one that has
 * none. */
#define MR_ADVICE_SKIP    "skip such lines with --bad-lines skip"
#define MR_ADVICE_ALL_BAD "no line is any better: check the file and its --format"

struct mr_edge_text_options {
    enum mr_id_kind ids; /* the builder's */
    uint64_t n_vertices; /* DENSE: the builder's */
    enum mr_edge_columns columns;
    const char *column_names; /* tables: "SOURCE,TARGET[,WEIGHT]" by name or number, or NULL */
    char separator; /* between the columns, as formats/table/table.h has it; '\0': the lines decide
                     */
    const char *where; /* tables: COLUMN=VALUE of the rows to read, or NULL */
    bool is_guessed; /* nobody said the format: numbers in lines of unequal length are refused */
    bool are_names; /* somebody said that pages have names: numbers in tables are names */
    enum mr_bad_lines bad_lines; /* the first skipped lines are noted */
    uint64_t max_bad; /* SKIP: more bad lines in all inputs are an error; 0: no limit */
    uint64_t bytes_before; /* bytes of the earlier inputs, for progress over several inputs */
    unsigned link_kinds; /* crawls: a sum of enum mr_link_kind; 0: MR_LINKS_DEFAULT */
    bool mirrors; /* the reverse of each edge is an edge, too; not for vertex lists */
    bool drop_nofollow; /* WAT, WARC, ARC: leave out links with rel=nofollow */
    enum mr_outlinks outlinks_from; /* WARC */
    uint64_t bytes_total; /* bytes of all inputs; 0: of this input */
};

/* Counts of one or several inputs. Each call adds to it; set it to zero before the first input. */
struct mr_edge_text_summary {
    uint64_t lines; /* = comments + blank + bad_lines + edges (or vertices) */
    uint64_t comments;
    uint64_t blank;
    uint64_t edges;
    uint64_t vertices; /* by mr_vertex_list_read */
    uint64_t pages; /* pages of a crawl, with and without links */
    uint64_t bad_lines;
    uint64_t extra_columns; /* lines whose third and further columns were ignored */
    /* links and lines of crawls that were left out, because link_kinds lacks their kind */
    uint64_t other_kinds;
    uint64_t no_values; /* lines without a source or a target: NULL, nan, an empty field */
    uint64_t zero_weights; /* links of weight 0, which are left out */
    uint64_t bad_times; /* captures whose time is none */
};

struct mr_line_reader;

/* Read all edges of lines of numbers into the sink of `reader`, whose builder takes lines, with all
 * threads: the `read` of a format. Errors: INPUT at FILE:LINE for a bad line, an id that the
 * builder does not know, or a damaged file; the errors of the sink. Speed: 50-60 M lines/s (14
 * bytes each) on one core. */
enum mr_status mr_edge_text_read(struct mr_line_reader *reader,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Read a vertex list: one id or name per line, by the same rules. Further columns are ignored and
 * counted. Declares each to `build` (ids SPARSE: mr_build_vertex; TEXT: mr_build_name) and does not
 * freeze it, so that there can be several lists: call mr_build_freeze after the last.
 * `options->columns` and `n_vertices` do not matter; `ids` must not be DENSE. Errors: as above. */
enum mr_status mr_vertex_list_read(const struct mr_context *context, struct mr_input *input,
                                   struct mr_build *build,
                                   const struct mr_edge_text_options *options,
                                   struct mr_edge_text_summary *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The number of fields of a line of numbers. `*is_list`: a comma stands behind the second field and
 * none before it, as in "0<TAB>1,2". */
unsigned mr_edge_text_fields(const char *at, const char *end, bool *is_list);

/* Find the two numbers that an edge list (mr_input_peek) begins with, after comments and blank
 * lines. Returns false if it does not begin with two numbers. */
bool mr_edge_text_first_row(const char *data, size_t bytes, uint64_t row[2]);

/* The kind of ids in the beginning of an edge list (mr_input_peek). It is MR_IDS_SPARSE if the
 * first two fields of the first line that is neither blank nor a comment are numbers, or those of
 * the next such line; the first line is then a header, which will be reported as a bad line. It is
 * MR_IDS_SPARSE for a file of comments only, and MR_IDS_TEXT for all others. `n_fields` is 2 for
 * edge lists and 1 for vertex lists, where one column decides. */
enum mr_id_kind mr_edge_text_detect(const char *data, size_t bytes, unsigned n_fields);

#endif
